/** What is said of a table and of an alarm: one place for tiles, cards and the table's own page. */

import { fill, own, pick } from "./words.js";
import { elapsed } from "./times.js";

/**
 * @typedef {Record<string, any>} Tile
 * @typedef {Record<string, any>} Alarm
 */

/** @param {Tile} tile @returns {string} `Stud 4/8`; empty before a view was heard. */
export function game(tile) {
  if (!tile.game) return "";
  return `${known(`floor.game.${tile.game.variant}`, tile.game.variant)} ${tile.game.small}/${tile.game.big}`;
}

/** @param {string} key @param {string} otherwise @returns {string} */
function known(key, otherwise) {
  const said = own(key);
  return said === key ? otherwise : said;
}

/** @param {string} code @returns {string} A few words for an alarm or a hold. */
export function title(code) {
  return known(`floor.title.${code}`, fill("floor.title.other", { code }));
}

/** @param {Tile} tile @returns {string} What goes on, in one or two words. */
export function doing(tile) {
  switch (tile.state) {
    case "away":
      return own(`floor.state.${["lost", "silent"].includes(tile.liveness) ? tile.liveness : "unknown"}`);
    case "going":
      return tile.hand === null ? own("floor.doing.between") : known(`floor.doing.${tile.phase}`, String(tile.phase ?? ""));
    default:
      return own(`floor.state.${tile.state}`);
  }
}

/** @param {Tile} tile @param {string | null} since Since when its first alarm stands. @param {number} now @returns {string} The line below. */
export function detail(tile, since, now) {
  switch (tile.state) {
    case "away":
      return tile.heard_at ? fill("floor.sub.heard", { time: elapsed(now - Date.parse(tile.heard_at)) }) : own("floor.sub.never");
    case "stopped":
      return [title(tile.hold?.code ?? ""), since ? elapsed(now - Date.parse(since)) : ""].filter(Boolean).join(" · ");
    case "paused":
      return tile.status ? known(`floor.sub.${tile.status}`, fill("floor.newer", { what: tile.status })) : "";
    case "open":
      return own("floor.sub.players");
    case "going":
      return going(tile);
    default:
      return "";
  }
}

/** @param {Tile} tile @returns {string} */
function going(tile) {
  if (tile.hand === null) return "";
  const street = tile.street ? own(`floor.sub.street.${tile.street}`) : "";
  const more = tile.actor ? fill("floor.sub.seat", { n: tile.actor }) : tile.pot > 0 ? fill("floor.sub.pot", { x: tile.pot }) : "";
  return [street, more].filter(Boolean).join(" · ");
}

/** @param {Tile} tile @param {Alarm | undefined} worst @param {number} now @returns {string} The tile as one sentence (screens §14). */
export function sentence(tile, worst, now) {
  const taken = tile.seats.filter((/** @type {any} */ seat) => seat.state !== "empty").length;
  return [
    fill("floor.say.table", { table: tile.table }),
    worst ? fill("floor.page.priority", { k: worst.priority }) : "",
    worst ? title(worst.code) : "",
    game(tile),
    doing(tile),
    tile.state === "stopped" ? "" : detail(tile, null, now),
    tile.seats.length > 0 ? fill("floor.say.seats", { k: taken, n: tile.seats.length }) : "",
    tile.pace === null ? "" : fill("floor.pace.say", { k: tile.pace }),
    tile.dealer ? fill("floor.say.dealer", { name: tile.dealer.name }) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

/** @param {Alarm} alarm @returns {boolean} Whether it calls a person by now. */
export function calls(alarm) {
  return alarm.called_at !== null;
}

/** @param {Alarm} alarm @returns {string} What is wrong and what to do. */
export function remedy(alarm) {
  return pick(alarm.text);
}
