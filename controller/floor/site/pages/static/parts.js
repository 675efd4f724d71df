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
 * @param {{ opens?: boolean, rules?: boolean }} to Whether it leads to its table, and to a ruling there.
 * @returns {HTMLElement}
 */
export function card(alarm, now, { opens = false, rules = false }) {
  const item = make("li", `alarm p${alarm.priority}`);
  item.dataset.alarm = alarm.id;
  const head = make("div", "head");
  const names = make("div", "names");
  const where = alarm.table ? fill("floor.say.table", { table: alarm.table }) : own("floor.page.all_tables");
  names.append(make("h3", "", where), make("p", "what", title(alarm.code)));
  const since = make("span", "since", elapsed(now - Date.parse(alarm.raised_at)));
  since.dataset.since = alarm.raised_at;
  head.append(badge(alarm.priority, alarm.acknowledged_by === null), names, since);
  const seen = alarm.acknowledged_by ? fill("floor.page.acked", { name: alarm.acknowledged_by }) : own("floor.page.unack");
  const raised = fill("floor.page.raised", { time: clock(alarm.raised_at) });
  item.append(head, make("p", "remedy", remedy(alarm)), make("p", "trail", `${raised} · ${seen}`));
  if (opens && alarm.table) {
    const links = make("div", "links");
    if (rules && !alarm.own && alarm.priority <= RULED) links.append(toTable(alarm.table, "floor.one.rule", "floor.page.rule", "#rule"));
    links.append(toTable(alarm.table, "floor.page.open.short", "floor.page.open"));
    item.append(links);
  }
  return item;
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
