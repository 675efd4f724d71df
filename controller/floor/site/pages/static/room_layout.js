/** A rota laid out: dealers in their order move one table on with each push; what comes of it is seen before it is kept. */

import { make } from "./elements.js";
import { field } from "./room_orders.js";
import { clock } from "./times.js";
import { fill, own } from "./words.js";

const TIME = /^([01]?\d|2[0-3])[:h.]([0-5]\d)$/;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const QUARTER_MS = 15 * MINUTE_MS;
/** A time of day that is over for no longer than this is meant as of today. */
const OVER_MS = 2 * 60 * MINUTE_MS;
const LEAST = { minutes: 5, pushes: 1 };
const MOST = { minutes: 480, pushes: 200 };
const USUAL = { minutes: "30", pushes: "8" };

/**
 * @typedef {object} Layout
 * @property {string[]} dealers
 * @property {string[]} tables
 * @property {number} starts
 * @property {number} minutes
 * @property {number} pushes
 * @typedef {object} Room
 * @property {string[]} tables
 * @property {Record<string, string[]>} pits
 * @property {string[]} dealers Those of the rota so far, in their order.
 * @property {number} now The floor's clock.
 */

/** @param {import("./room_orders.js").Orders} orders @param {Room} room */
export function askLayout(orders, room) {
  const dealers = /** @type {HTMLTextAreaElement} */ (make("textarea"));
  dealers.name = "dealers";
  dealers.rows = 6;
  dealers.required = true;
  dealers.spellcheck = false;
  dealers.value = room.dealers.join("\n");
  const starts = field("starts", own("floor.room.starts"), clock(Math.ceil(room.now / QUARTER_MS) * QUARTER_MS).slice(0, 5), 5);
  const each = field("minutes", own("floor.room.minutes"), USUAL.minutes, 3);
  const pushes = field("pushes", own("floor.room.pushes"), USUAL.pushes, 3);
  for (const one of [starts, each, pushes]) one.querySelector("input")?.setAttribute("inputmode", "numeric");
  const preview = make("div", "preview");
  preview.tabIndex = 0;
  preview.setAttribute("role", "region");
  preview.setAttribute("aria-label", own("floor.room.preview"));
  const box = make("div", "layout");
  box.append(
    make("div", "asks", make("label", "field", make("span", "", own("floor.room.dealers")), dealers), tablesOf(room, () => redraw()), make("div", "numbers", starts, each, pushes)),
    preview,
  );
  const redraw = () => {
    const { layout } = read(box, room.now);
    preview.replaceChildren(...(layout ? [make("p", "hint", fill("floor.room.until", { time: said(layout.starts + layout.pushes * layout.minutes * MINUTE_MS, room.now) })), grid(layout)] : [make("p", "hint", own("floor.room.no_preview"))]));
  };
  box.addEventListener("input", redraw);
  const send = async () => {
    const { layout, why } = read(box, room.now);
    if (!layout) return why;
    return orders.give("rota", { ...layout, starts: new Date(layout.starts).toISOString() });
  };
  orders.ask({ title: own("floor.room.lay").replace("…", ""), hint: own("floor.room.lay_hint"), fields: [box], act: own("floor.room.lay_go"), send });
  redraw();
}

/** @param {Room} room @param {() => void} onChange @returns {HTMLElement} Tables to tick, a whole pit with one press. */
function tablesOf(room, onChange) {
  const group = make("fieldset", "tables", make("legend", "", own("floor.room.tables")));
  const picks = make("div", "picks");
  for (const [pit, names] of Object.entries(room.pits)) {
    const all = make("button", "pick", pit);
    all.setAttribute("type", "button");
    all.addEventListener("click", () => {
      const own_ones = ticks(group).filter((one) => names.includes(one.value));
      const isAll = own_ones.every((one) => one.checked);
      for (const one of own_ones) one.checked = !isAll;
      onChange();
    });
    picks.append(all);
  }
  for (const table of room.tables) {
    const tick = /** @type {HTMLInputElement} */ (make("input"));
    tick.type = "checkbox";
    tick.name = "table";
    tick.value = table;
    picks.append(make("label", "choice", tick, make("b", "", table)));
  }
  group.append(picks);
  return group;
}

/** @param {ParentNode} within @returns {HTMLInputElement[]} */
function ticks(within) {
  return [...within.querySelectorAll("input[name=table]")].flatMap((one) => (one instanceof HTMLInputElement ? one : []));
}

/** @param {HTMLElement} box @param {number} now @returns {{ layout: Layout | null, why: string }} What is asked for, or what is missing. */
function read(box, now) {
  const value = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (box.querySelector(`[name=${name}]`)).value.trim();
  const dealers = value("dealers").split(/[\n,;]/).map((name) => name.split(/\s+/).filter(Boolean).join(" ")).filter(Boolean);
  const tables = ticks(box).filter((one) => one.checked).map((one) => one.value);
  const starts = moment(value("starts"), now);
  const [each, pushes] = [whole(value("minutes"), LEAST.minutes, MOST.minutes), whole(value("pushes"), LEAST.pushes, MOST.pushes)];
  const missing = dealers.length === 0 ? "dealers" : tables.length === 0 ? "tables" : starts === null ? "starts" : each === null ? "minutes" : pushes === null ? "pushes" : "";
  if (missing) return { layout: null, why: fill("floor.room.due", { what: own(`floor.room.${missing}`) }) };
  return { layout: { dealers, tables, starts: starts ?? 0, minutes: each ?? 0, pushes: pushes ?? 0 }, why: "" };
}

/** @param {string} text @param {number} least @param {number} most @returns {number | null} */
function whole(text, least, most) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : null;
}

/** @param {string} text @param {number} now @returns {number | null} That time of today, or of tomorrow where it is long over. */
function moment(text, now) {
  const found = TIME.exec(text);
  if (!found) return null;
  const day = new Date(now);
  day.setHours(Number(found[1]), Number(found[2]), 0, 0);
  const at = day.getTime();
  if (now - at <= OVER_MS) return at - now > DAY_MS - OVER_MS ? at - DAY_MS : at; // just after midnight, 23:45 is behind
  day.setDate(day.getDate() + 1);
  return day.getTime();
}

/** @param {number} at @param {number} now @returns {string} `20:30`, with the day where it is another. */
function said(at, now) {
  const day = new Date(at);
  const time = clock(at).slice(0, 5);
  return day.toDateString() === new Date(now).toDateString() ? time : `${day.getDate()}/${day.getMonth() + 1} ${time}`;
}

/**
 * Who deals where in push `k`: the dealer at place `i` has table `(i + k) mod dealers`, and rests beyond the tables, as the floor lays it.
 *
 * @param {Layout} layout
 * @returns {HTMLElement}
 */
function grid({ dealers, tables, starts, minutes, pushes }) {
  const head = make("tr", "", heading("col", own("floor.room.time")), ...tables.map((table) => heading("col", table)));
  const rests = dealers.length > tables.length;
  if (rests) head.append(heading("col", own("floor.room.rests")));
  const body = make("tbody");
  for (let push = 0; push < pushes; push += 1) {
    const at = (/** @type {number} */ place) => dealers[(((place - push) % dealers.length) + dealers.length) % dealers.length] ?? "–";
    const cells = tables.map((_, place) => make("td", "", place < dealers.length ? at(place) : "–"));
    if (rests) cells.push(make("td", "rests", dealers.slice(tables.length).map((_, more) => at(tables.length + more)).join(", ")));
    body.append(make("tr", "", heading("row", clock(starts + push * minutes * MINUTE_MS).slice(0, 5)), ...cells));
  }
  return make("table", "", make("thead", "", head), body);
}

/** @param {string} scope @param {string} words @returns {HTMLElement} */
function heading(scope, words) {
  const made = make("th", "", words);
  made.setAttribute("scope", scope);
  return made;
}
