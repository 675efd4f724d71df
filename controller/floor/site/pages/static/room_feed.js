/** Waiting lists and rota, asked for every two seconds while the page is seen (docs/reference/floor-http.md). */

import { get } from "./send.js";

const EVERY_MS = 2000;
const STALE_MS = 6000;
const LOOK_MS = 100;
/** A page that was hidden asks first, and is not live only where no answer comes. */
const SHOWN_MS = 1500;

/**
 * @typedef {Record<string, any>} Picture
 * @typedef {object} Listener
 * @property {(picture: Picture) => void} onPicture
 * @property {(age: number, stale: boolean, retry: number) => void} onAge Milliseconds since the floor told it, and until it is asked anew.
 * @property {(refusal: any) => void} onRefused The floor tells nothing, and why; null once it tells again.
 */

export class RoomFeed {
  /** @param {Picture} first What has the floor's clock as `now`. @param {Listener} listener */
  constructor(first, listener) {
    this.picture = first;
    this.how = { stale: STALE_MS };
    this.listener = listener;
    this.heard = -Infinity;
    this.asked = -Infinity;
    this.shown = performance.now();
    this.asking = false;
    this.ahead = performance.now() - Date.parse(first.now);
  }

  start() {
    setInterval(() => this.look(), LOOK_MS);
    document.addEventListener("visibilitychange", () => {
      this.shown = performance.now();
      this.look();
    });
    this.look();
  }

  /** The floor's clock, in milliseconds as of Date. @returns {number} */
  now() {
    return performance.now() - this.ahead;
  }

  look() {
    if (document.hidden) return;
    const now = performance.now();
    if (now - this.asked >= EVERY_MS) this.ask();
    const age = now - this.heard;
    const stale = !(age <= STALE_MS) && now - this.shown > SHOWN_MS;
    this.listener.onAge(age, stale, Math.max(0, EVERY_MS - (now - this.asked)));
  }

  /** Ask now: something was ordered. */
  async ask() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = true;
    const asked = performance.now();
    this.asked = asked;
    try {
      const response = await get("/api/room");
      const told = await response.json();
      if (response.ok) this.take(told, asked);
      this.listener.onRefused(response.ok ? null : told.refusal);
    } catch {
      // Nothing answers: the page says so by its age.
    }
    this.asking = false;
    if (this.again) {
      this.again = false;
      this.ask();
    }
  }

  /** @param {Picture} told @param {number} asked When it was asked for: it is no older. */
  take(told, asked) {
    this.picture = told;
    this.heard = asked;
    this.ahead = performance.now() - Date.parse(told.now);
    this.listener.onPicture(told);
    this.look();
  }
}
