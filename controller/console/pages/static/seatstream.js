/**
 * The stream of one seat's topic. A picture is as old as the last message that the topic brought, not as the last frame: what was
 * held up on the way is late by the server's own clock, and a new connection alone makes nothing new.
 */

export const STALE_MS = 2000;
const LOOK_MS = 100;

/**
 * @typedef {Record<string, any>} Screen
 * @typedef {object} Listener
 * @property {(screen: Screen | null) => void} onScreen The picture is new.
 * @property {(age: number, stale: boolean) => void} onAge Milliseconds since the topic was heard; Infinity before it ever was.
 */

export class SeatStream {
  /** @param {number} seat @param {Listener} listener */
  constructor(seat, listener) {
    this.seat = seat;
    this.listener = listener;
    /** @type {Screen | null} */
    this.screen = null;
    /** @type {EventSource | null} */
    this.source = null;
    this.boot = "";
    this.epoch = 0;
    this.seq = 0;
    this.heard = -Infinity;
    /** Least difference of this clock and the server's: what is above it was held up on the way. */
    this.ahead = Infinity;
    this.opened = 0;
  }

  start() {
    this.open();
    setInterval(() => this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => this.look());
  }

  open() {
    this.source?.close();
    this.opened = performance.now();
    const source = new EventSource(`/api/v1/seats/${this.seat}/stream`);
    this.source = source;
    source.addEventListener("snapshot", (event) => this.take(JSON.parse(event.data), true));
    source.addEventListener("change", (event) => this.take(JSON.parse(event.data), false));
    source.addEventListener("beat", (event) => this.stamp(JSON.parse(event.data)));
    source.addEventListener("resumed", (event) => this.stamp(JSON.parse(event.data)));
  }

  /** @param {any} frame @param {boolean} whole */
  take(frame, whole) {
    if (!whole && (!this.screen || frame.boot !== this.boot)) return;
    this.screen = whole ? frame.screen : { ...this.screen, ...frame.screen };
    this.stamp(frame);
    this.listener.onScreen(this.screen);
  }

  /** @param {any} frame */
  stamp(frame) {
    const now = performance.now();
    if (frame.boot !== this.boot) this.ahead = Infinity;
    this.boot = frame.boot;
    this.epoch = frame.epoch;
    this.seq = frame.seq;
    this.ahead = Math.min(this.ahead, now - frame.now);
    if (frame.age !== null) this.heard = Math.max(this.heard, frame.now + this.ahead - frame.age);
    this.look();
  }

  look() {
    const now = performance.now();
    const age = now - this.heard;
    const stale = !(age <= STALE_MS);
    this.listener.onAge(age, stale);
    if (stale && now - this.opened > STALE_MS) this.open();
  }
}
