/**
 * The table's picture, kept whole: one event stream, a snapshot first, then what changes.
 *
 * A page that hears nothing for two seconds is stale: it drops the stream and asks for a whole snapshot, never for a queue of
 * what it slept through.
 */

export const STALE_MS = 2000;
const LOOK_MS = 100;

/**
 * @typedef {Record<string, any>} Picture
 * @typedef {object} Listener
 * @property {(picture: Picture, changed: string[]) => void} onPicture The picture is new, whole or in the named parts.
 * @property {(age: number, stale: boolean, since: Date) => void} onAge Milliseconds since the table was heard.
 * @property {() => void} onRestart The controller was started anew.
 */

export class Table {
  /** @param {Listener} listener */
  constructor(listener) {
    this.listener = listener;
    /** @type {Picture | null} */
    this.picture = null;
    /** @type {EventSource | null} */
    this.source = null;
    this.boot = "";
    this.heard = performance.now();
    this.heardAt = new Date();
    this.opened = 0;
    this.stale = false;
    this.whole = false;
  }

  start() {
    this.open();
    setInterval(() => this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => this.look());
  }

  open() {
    this.source?.close();
    this.whole = false;
    this.opened = performance.now();
    const source = new EventSource("/api/v1/stream");
    this.source = source;
    source.addEventListener("snapshot", (event) => this.onSnapshot(JSON.parse(event.data)));
    source.addEventListener("change", (event) => this.onChange(JSON.parse(event.data)));
    source.addEventListener("beat", () => this.hear());
    source.addEventListener("resumed", (event) => this.onBoot(JSON.parse(event.data).boot));
  }

  /** @param {Picture} picture */
  onSnapshot(picture) {
    this.onBoot(picture.boot);
    this.picture = picture;
    this.whole = true;
    this.hear();
    this.listener.onPicture(picture, Object.keys(picture));
  }

  /** @param {Picture} changed */
  onChange(changed) {
    if (!this.picture || !this.whole) return;
    this.picture = { ...this.picture, ...changed };
    this.hear();
    this.listener.onPicture(this.picture, Object.keys(changed));
  }

  /** @param {string} boot */
  onBoot(boot) {
    const restarted = this.boot !== "" && this.boot !== boot;
    this.boot = boot;
    this.whole = true;
    if (restarted) this.listener.onRestart();
  }

  hear() {
    this.heard = performance.now();
    this.heardAt = new Date();
    this.look();
  }

  look() {
    const age = performance.now() - this.heard;
    this.stale = age > STALE_MS;
    this.listener.onAge(age, this.stale, this.heardAt);
    if (this.stale && performance.now() - this.opened > STALE_MS) this.open();
  }
}
