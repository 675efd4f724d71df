/** A table's tile: always in its place, drawn anew only when something on it is another. */

import { make } from "./elements.js";
import { badge } from "./parts.js";
import { detail, doing, game, sentence } from "./said.js";
import { minutes } from "./times.js";
import { fill } from "./words.js";

const BAND = { from: 20, to: 30, least: 10, most: 40 };
const SEATS = 8;
const LONG_NAME = 5;

/** @typedef {Record<string, any>} Tile */

export class TileOf {
  /** @param {string} table */
  constructor(table) {
    this.table = table;
    const link = /** @type {HTMLAnchorElement} */ (make("a", "tile"));
    link.href = `/tables/${encodeURIComponent(table)}`;
    link.dataset.table = table;
    this.element = make("li", "");
    this.element.append(link);
    this.link = link;
    this.drawn = "";
  }

  /**
   * @param {Tile} tile
   * @param {Record<string, any> | undefined} worst The alarm that calls first.
   * @param {number} now The floor's clock.
   * @param {string} language
   */
  draw(tile, worst, now, language) {
    const below = detail(tile, worst?.raised_at ?? null, now);
    const on = tile.dealer ? minutes(now - Date.parse(tile.dealer.since)) : 0;
    const drawn = JSON.stringify([tile, worst, below, on, language]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.link.className = looks(tile, worst).join(" ");
    this.link.setAttribute("aria-label", sentence(tile, worst, now));
    const head = make("span", "head");
    head.append(make("b", "number", tile.table));
    if (worst) head.append(badge(worst.priority, worst.acknowledged_by === null));
    head.append(make("span", "game", game(tile)));
    const foot = make("span", "foot");
    if (tile.state !== "closed") foot.append(make("span", "dealer", tile.dealer?.name ?? "–"));
    if (tile.dealer && tile.state !== "closed") foot.append(make("span", "on", fill("floor.minutes", { k: on })));
    this.link.replaceChildren(head, make("strong", "doing", doing(tile)), make("span", "detail", below), seats(tile), pace(tile), foot);
  }
}

/** @param {Tile} tile @param {Record<string, any> | undefined} worst @returns {string[]} */
function looks(tile, worst) {
  const found = ["tile", tile.state];
  if (tile.state === "away") found.push("stale");
  if (worst) found.push(`p${worst.priority}`);
  if (tile.table.length > LONG_NAME) found.push("long");
  return found;
}

/** @param {Tile} tile @returns {HTMLElement} */
function seats(tile) {
  const row = make("span", "seats");
  for (let number = 1; number <= SEATS; number += 1) {
    const seat = tile.seats.find((/** @type {any} */ one) => one.seat === number);
    const taken = seat && seat.state !== "empty" && seat.state !== "ghost";
    row.append(make("span", [taken ? "taken" : "free", tile.actor === number ? "acts" : ""].filter(Boolean).join(" "), String(number)));
  }
  return row;
}

/** @param {Tile} tile @returns {HTMLElement} Hands an hour as a mark against the band (screens §8). */
function pace(tile) {
  const row = make("span", "pace");
  if (tile.pace === null || tile.state === "closed") return row;
  const share = (Math.min(Math.max(tile.pace, BAND.least), BAND.most) - BAND.least) / (BAND.most - BAND.least);
  const bar = make("span", "bar");
  const mark = make("i", "");
  mark.style.left = `${Math.round(100 * share)}%`;
  bar.append(mark);
  row.append(bar, make("b", "", fill("floor.pace", { k: tile.pace })));
  return row;
}
