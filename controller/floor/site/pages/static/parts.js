/** Pieces of the floor's pages: elements, the badge of a priority, and the card of an alarm. */

import { make, write } from "./elements.js";
import { fill, own } from "./words.js";
import { remedy, title } from "./said.js";
import { clock, elapsed } from "./times.js";

/** The least alarm that a ruling may end: what is only to know wants none. */
const RULED = 2;

/** @param {number} priority @param {boolean} isNew @returns {HTMLElement} Shape and number, never colour alone (screens §9). */
export function badge(priority, isNew) {
  const element = make("span", `badge p${priority}${isNew ? " new" : ""}`);
  element.append(make("b", "", String(priority)));
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", fill("floor.page.priority", { k: priority }));
  return element;
}

/**
 * @param {Record<string, any>} alarm
 * @param {number} now
 * @param {{ opens?: boolean, rules?: boolean, deeds?: HTMLElement[], note?: string }} to Whether it leads to its table, and to a
 *   ruling there; what may be done about it, and what was said to the last press.
 * @returns {HTMLElement}
 */
export function card(alarm, now, { opens = false, rules = false, deeds = [], note = "" }) {
  const item = make("li", `alarm p${alarm.priority}${alarm.cleared_at ? " over" : ""}`);
  item.dataset.alarm = alarm.id;
  const head = make("div", "head");
  const names = make("div", "names");
  const where = alarm.table ? fill("floor.say.table", { table: alarm.table }) : own("floor.page.all_tables");
  names.append(make("h3", "", where), make("p", "what", title(alarm.code)));
  const since = make("span", "since", elapsed((alarm.cleared_at ? Date.parse(alarm.cleared_at) : now) - Date.parse(alarm.raised_at)));
  if (!alarm.cleared_at) since.dataset.since = alarm.raised_at;
  const standing = alarm.alarm === "hold" ? "stopped" : "open";
  const count = make("div", "count", since, make("span", "", own(`floor.page.since.${alarm.cleared_at ? "over" : standing}`)));
  head.append(badge(alarm.priority, alarm.acknowledged_by === null), names, count);
  item.append(head, make("p", "remedy", remedy(alarm)), make("p", "trail", trail(alarm)));
  if (note) item.append(make("p", "note", note));
  if (deeds.length > 0) item.append(make("div", "deeds", ...deeds));
  if (opens && alarm.table) {
    const links = make("div", "links");
    if (rules && !alarm.own && alarm.priority <= RULED) links.append(toTable(alarm.table, "floor.one.rule", "floor.page.rule", "#rule"));
    links.append(toTable(alarm.table, "floor.page.open.short", "floor.page.open"));
    item.append(links);
  }
  return item;
}

/** @param {Record<string, any>} alarm @returns {string} What has happened to it, with times and names. */
function trail(alarm) {
  const said = [fill("floor.page.raised", { time: clock(alarm.raised_at) })];
  if (alarm.times > 1) said.push(fill("floor.page.times", { k: alarm.times }));
  if (alarm.cleared_at) said.push(fill("floor.page.cleared", { time: clock(alarm.cleared_at) }));
  if (alarm.acknowledged_at) said.push(fill("floor.page.acked_at", { time: clock(alarm.acknowledged_at), name: alarm.acknowledged_by }));
  else said.push(alarm.acknowledged_by ? fill("floor.page.acked", { name: alarm.acknowledged_by }) : own("floor.page.unack"));
  if (alarm.shelf_ended_at) said.push(fill("floor.page.shelf_ended", { time: clock(alarm.shelf_ended_at) }));
  return said.join(" · ");
}

/** @param {string} table @param {string} words @param {string} said @param {string} [at] @returns {HTMLElement} */
function toTable(table, words, said, at = "") {
  const link = /** @type {HTMLAnchorElement} */ (make("a", "open", own(words)));
  link.href = `/tables/${encodeURIComponent(table)}${at}`;
  link.setAttribute("aria-label", fill(said, { table }));
  return link;
}

/** @param {ParentNode} within @param {number} now Bring every running time up to date. */
export function tick(within, now) {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll("[data-since]"))) {
    write(element, elapsed(now - Date.parse(element.dataset.since ?? "")));
  }
}
