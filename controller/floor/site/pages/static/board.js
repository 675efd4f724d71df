/**
 * The picture of all tables, or of one, kept whole: one event stream, a snapshot first, then what changes (docs/reference/floor-http.md).
 *
 * A page is as old as the floor's last sign of life. What was held up on the way is late by the floor's own clock; past its
 * limit the page says since when it is not live, and asks anew.
 */

const RETRY_MS = 3000;
const LOOK_MS = 100;

/**
 * @typedef {Record<string, any>} Picture
 * @typedef {object} Listener
 * @property {(picture: Picture) => void} onPicture The picture is another.
 * @property {(age: number, stale: boolean, retry: number) => void} onAge Milliseconds since the floor was heard, and until it is asked anew.
 * @typedef {object} How
 * @property {string} path
 * @property {number} stale Milliseconds after which a page that hears nothing is not live.
 * @property {(picture: Picture, change: Picture) => Picture} merged
 */

/**
 * @param {Picture} picture
 * @param {Picture} change
 * @returns {Picture}
 */
export function merged(picture, change) {
  const after = { ...picture, ...change };
  after.tables = { ...picture.tables };
  for (const [name, tile] of Object.entries(change.tables ?? {})) after.tables[name] = { ...after.tables[name], ...tile };
  after.alarms = { ...picture.alarms };
  for (const [name, alarm] of Object.entries(change.alarms ?? {})) {
    if (alarm === null) delete after.alarms[name];
    else after.alarms[name] = alarm;
  }
  return after;
}

/** @type {How} All tables of the venue. */
export const BOARD = { path: "/api/stream", stale: 5000, merged };

/** @param {string} table @returns {How} One table by itself: each key that is told replaces the one before. */
export function ofTable(table) {
  return { path: `/api/tables/${encodeURIComponent(table)}/stream`, stale: 2000, merged: (picture, change) => ({ ...picture, ...change }) };
}

export class BoardStream {
  /** @param {Picture} first @param {Listener} listener @param {How} [how] */
  constructor(first, listener, how = BOARD) {
    this.picture = first;
    this.how = how;
    this.listener = listener;
    /** @type {EventSource | null} */
    this.source = null;
    this.boot = "";
    this.heard = -Infinity;
    /** Least difference of this clock and the floor's: what is above it was held up on the way. */
    this.ahead = performance.now() - Date.parse(first.now);
    this.opened = 0;
  }

  start() {
    this.listener.onPicture(this.picture);
    this.open();
    setInterval(() => this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => this.look());
  }

  open() {
    this.source?.close();
    this.opened = performance.now();
    const source = new EventSource(this.how.path);
    this.source = source;
    source.addEventListener("snapshot", (event) => this.take(JSON.parse(event.data), true));
    source.addEventListener("change", (event) => this.take(JSON.parse(event.data), false));
    source.addEventListener("beat", (event) => this.stamp(JSON.parse(event.data)));
    source.addEventListener("resumed", (event) => this.onBoot(JSON.parse(event.data).boot));
  }

  /** The floor's clock, in milliseconds as of Date. @returns {number} */
  now() {
    return performance.now() - this.ahead;
  }

  /** @param {Picture} frame @param {boolean} whole */
  take(frame, whole) {
    if (whole) this.onBoot(frame.boot);
    this.picture = whole ? frame : this.how.merged(this.picture, frame);
    this.stamp(frame);
    this.listener.onPicture(this.picture);
  }

  /** @param {string} boot */
  onBoot(boot) {
    if (boot !== this.boot) this.ahead = Infinity;
    this.boot = boot;
  }

  /** @param {Picture} frame */
  stamp(frame) {
    const now = performance.now();
    const at = Date.parse(frame.now);
    this.ahead = Math.min(this.ahead, now - at);
    this.heard = Math.max(this.heard, at + this.ahead);
    this.look();
  }

  look() {
    const now = performance.now();
    const age = now - this.heard;
    const stale = !(age <= this.how.stale);
    const retry = Math.max(0, RETRY_MS - (now - this.opened));
    if (stale && retry === 0) this.open();
    this.listener.onAge(age, stale, retry);
  }
}
