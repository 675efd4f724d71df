/** How old a page is: said in its heading, and in red on top once it is not live. */

import { byId, make, write } from "./elements.js";
import { clock, seconds } from "./times.js";
import { fill, own } from "./words.js";

const SECOND_MS = 1000;

/**
 * @typedef {object} Told What the page shows, and the floor's clock.
 * @property {Record<string, any>} picture
 * @property {{ stale: number }} how
 * @property {() => number} now
 */

export class Live {
  /**
   * @param {() => Told} stream
   * @param {(isLive: boolean) => void} onTurn It is live again, or no longer.
   * @param {() => void} onSecond Another second by the floor's clock, while it is live.
   */
  constructor(stream, onTurn, onSecond) {
    this.stream = stream;
    this.onTurn = onTurn;
    this.onSecond = onSecond;
    this.stale = false;
    this.since = 0;
    this.second = 0;
  }

  /** @returns {number} The floor's clock, which stands while the page is not live. */
  now() {
    return this.stale ? this.since : this.stream().now();
  }

  /** @param {number} age @param {boolean} stale @param {number} retry */
  draw(age, stale, retry) {
    const stream = this.stream();
    if (stale && !this.stale) this.since = Number.isFinite(age) ? stream.now() - age : Date.parse(stream.picture.now);
    const heard = age !== Infinity || performance.now() > stream.how.stale;
    if (stale !== this.stale && heard) {
      this.stale = stale;
      document.body.classList.toggle("stale", stale);
      byId("notlive").hidden = !stale;
      this.onTurn(!stale);
    }
    if (this.stale) this.drawBanner(retry);
    write(byId("age"), stale ? (this.stale ? "" : own("floor.page.waiting")) : fill("floor.page.live", { s: seconds(age) }));
    const second = Math.floor(stream.now() / SECOND_MS);
    if (second === this.second || this.stale) return;
    this.second = second;
    write(byId("clock"), clock(stream.now()));
    this.onSecond();
  }

  /** @param {number} retry */
  drawBanner(retry) {
    const banner = byId("notlive");
    if (banner.childElementCount === 0) banner.append(make("strong"), make("span"));
    write(banner.children[0] ?? null, fill("floor.page.notlive", { time: clock(this.since) }));
    const next = banner.children[1] ?? null;
    next?.setAttribute("aria-hidden", "true");
    write(next, fill("floor.page.retry", { s: Math.ceil(retry / SECOND_MS) }));
  }
}
