/** All tables of the venue on one page: alarms, tiles, their order, and how old it all is. */

import { Alarms } from "./alarms.js";
import { Approve } from "./approve.js";
import { BoardStream } from "./board.js";
import { byId, make, write } from "./elements.js";
import { Live } from "./live.js";
import { game } from "./said.js";
import { TileOf } from "./tiles.js";
import { Who, asBefore } from "./who.js";
import { fill, language, own, setWords } from "./words.js";

const PHONE = "(max-width: 899px)";
const ORDERS = ["number", "attention", "pit"];
const COUNTED = ["stopped", "away", "going", "paused", "open", "closed"];

/** @typedef {Record<string, any>} Picture */

/** What is drawn where nobody is signed in. */
const NOTHING = { seq: 0, now: new Date().toISOString(), venue: "", tables: {}, alarms: {}, alarm_order: [], attention: [], totals: {} };

/** @type {{ order: string, words: string }} */
const page = { order: "number", words: "" };
/** @type {Map<string, TileOf>} */
const tiles = new Map();
const first = JSON.parse(byId("first").textContent ?? "{}");
/** @type {BoardStream} */
const stream = new BoardStream(first ?? NOTHING, { onPicture: () => ask(), onAge: (age, stale, retry) => live.draw(age, stale, retry) });
const live = new Live(
  () => stream,
  (isLive) => isLive && ask(),
  () => {
    alarms.tick();
    ask();
  },
);
const who = new Who(JSON.parse(byId("session").textContent ?? "{}"), () => {
  drawWords();
  draw();
  approve.draw();
});
const approve = new Approve(who);
const alarms = new Alarms(who, now, () => ask());
let asked = false;

/** Draw once a frame of the screen, however many changes come. */
function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    draw();
  });
}

/** @returns {number} The floor's clock, which stands while the page is not live. */
function now() {
  return live.now();
}

function draw() {
  const picture = stream.picture;
  document.body.dataset.seq = String(picture.seq);
  drawTotals(picture);
  alarms.draw(picture);
  write(byId("to-tables"), own("floor.page.tables"));
  drawTables(picture);
}

/** @param {Picture} picture */
function drawTotals(picture) {
  const said = COUNTED.filter((state) => picture.totals[state] > 0).map((state) => [state, picture.totals[state]]);
  said.push(["players", picture.totals.players]);
  const drawn = JSON.stringify([said, language()]);
  const list = byId("totals");
  if (list.dataset.drawn === drawn) return;
  list.dataset.drawn = drawn;
  list.replaceChildren(
    ...said.map(([state, count]) => {
      const item = make("li", String(state));
      item.append(make("b", "", String(count)), ` ${own(state === "players" ? "floor.page.players" : `floor.count.${state}`)}`);
      return item;
    }),
  );
}

/** @param {Picture} picture @returns {Map<string, any>} The alarm that calls first of each table. */
function worst(picture) {
  /** @type {Map<string, any>} */
  const found = new Map();
  for (const id of picture.alarm_order) {
    const alarm = picture.alarms[id];
    if (alarm?.table && !found.has(alarm.table)) found.set(alarm.table, alarm);
  }
  return found;
}

/** @param {Picture} picture */
function drawTables(picture) {
  const first_of = worst(picture);
  for (const [name, tile] of Object.entries(picture.tables)) {
    const drawn = tiles.get(name) ?? new TileOf(name);
    tiles.set(name, drawn);
    drawn.draw(tile, first_of.get(name), now(), language());
  }
  const groups = grouped(picture);
  const wanted = JSON.stringify([groups, language()]);
  const place = byId("groups");
  if (place.dataset.drawn !== wanted) {
    place.dataset.drawn = wanted;
    const focused = document.activeElement;
    place.replaceChildren(...groups.map(drawGroup));
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  }
  const count = groups.reduce((sum, [, names]) => sum + names.length, 0);
  const none = byId("tables-none");
  none.hidden = count > 0;
  const known = Object.keys(picture.tables).length > 0;
  write(none.children[0] ?? null, known ? fill("floor.page.nothing_found", { words: page.words }) : own("floor.page.empty"));
  write(none.children[1] ?? null, known ? "" : fill("floor.page.empty.sub", { venue: picture.venue }));
}

/** @param {[string, string[]]} group @returns {HTMLElement} */
function drawGroup([name, names]) {
  const section = make("div", "group");
  if (name) section.append(make("h3", "", name));
  const list = make("ol", "tiles");
  list.append(...names.flatMap((table) => tiles.get(table)?.element ?? []));
  section.append(list);
  return section;
}

/** @param {Picture} picture @returns {[string, string[]][]} Tables that fit the search, in their order, under the name of their pit. */
function grouped(picture) {
  const names = page.order === "attention" ? picture.attention : Object.keys(picture.tables).sort(byNumber);
  const shown = names.filter((/** @type {string} */ name) => fits(picture.tables[name]));
  if (page.order !== "pit") return shown.length > 0 ? [["", shown]] : [];
  /** @type {[string, string[]][]} */
  const found = Object.entries(picture.pits ?? {}).map(([pit, tables]) => [pit, shown.filter((/** @type {string} */ name) => tables.includes(name))]);
  const placed = new Set(found.flatMap(([, tables]) => tables));
  found.push([own("floor.page.no_pit"), shown.filter((/** @type {string} */ name) => !placed.has(name))]);
  return found.filter(([, tables]) => tables.length > 0);
}

/** @param {string} one @param {string} other @returns {number} T2 before T10. */
function byNumber(one, other) {
  return one.localeCompare(other, undefined, { numeric: true });
}

/** @param {any} tile @returns {boolean} */
function fits(tile) {
  const wanted = plain(page.words);
  if (!wanted) return true;
  const said = [tile.table, game(tile), tile.game?.variant, tile.dealer?.name, ...tile.seats.map((/** @type {any} */ seat) => seat.name)];
  return said.some((text) => text && plain(text).includes(wanted));
}

/** @param {string} text @returns {string} Without accents and case: who searches types neither. */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}

function drawWords() {
  for (const [id, key] of Object.entries({ title: "title", "alarms-title": "alarms", "tables-title": "tables", "search-word": "search" })) {
    write(byId(id), own(`floor.page.${key}`));
  }
  write(byId("to-room"), own("floor.page.room"));
  byId("search").setAttribute("aria-label", own("floor.page.search.say"));
  byId("orders").setAttribute("aria-label", own("floor.page.order"));
  byId("bottom").setAttribute("aria-label", own("floor.page.title"));
  document.title = `${own("floor.page.title")} · ${stream.picture.venue}`;
  drawOrders();
}

function drawOrders() {
  const some = ORDERS.filter((order) => order !== "pit" || Object.keys(stream.picture.pits ?? {}).length > 0);
  byId("orders").replaceChildren(
    ...some.map((order) => {
      const button = make("button", "", own(order === "attention" ? "floor.page.attention" : `floor.page.by_${order}`));
      button.setAttribute("type", "button");
      button.setAttribute("aria-pressed", String(order === page.order));
      button.dataset.order = order;
      return button;
    }),
  );
}

/** @param {string} order */
function setOrder(order) {
  page.order = order;
  localStorage.setItem("stud-table-floor-order", order);
  for (const button of byId("orders").children) button.setAttribute("aria-pressed", String(button instanceof HTMLElement && button.dataset.order === order));
  draw();
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  if (who.isOpen || approve.box.open) return;
  if (event.altKey && event.key.toLowerCase() === "l") who.turn();
  else if (event.altKey && event.key.toLowerCase() === "a") setOrder(page.order === "attention" ? "number" : "attention");
  else if (event.key === "/" && document.activeElement !== search) search.focus();
  else if (event.key === "Escape" && search.value) find(search, "");
  else if (!(event.key.startsWith("Arrow") && walk(event.key))) return;
  event.preventDefault();
}

/** @param {HTMLInputElement} search @param {string} words */
function find(search, words) {
  if (search.value !== words) search.value = words;
  page.words = words;
  draw();
}

/** From tile to tile as they lie on the screen. @param {string} key @returns {boolean} */
function walk(key) {
  const from = document.activeElement?.closest(".tile");
  if (!from) return false;
  const at = from.getBoundingClientRect();
  const x = Number(key === "ArrowRight") - Number(key === "ArrowLeft");
  const y = Number(key === "ArrowDown") - Number(key === "ArrowUp");
  const away = (/** @type {DOMRect} */ box) => {
    const [right, down] = [(box.left - at.left) / at.width, (box.top - at.top) / at.height];
    const [ahead, beside] = x ? [right * x, Math.abs(down)] : [down * y, Math.abs(right)];
    return ahead < 0.5 || beside > 0.5 ? Infinity : ahead + beside;
  };
  const others = [...document.querySelectorAll(".tile")].map((tile) => ({ tile, far: away(tile.getBoundingClientRect()) }));
  const next = others.reduce((best, one) => (one.far < best.far ? one : best), { tile: from, far: Infinity }).tile;
  if (next instanceof HTMLElement) next.focus();
  return true;
}

function start() {
  setWords(JSON.parse(byId("words").textContent ?? "{}"));
  asBefore();
  const order = localStorage.getItem("stud-table-floor-order") ?? (matchMedia(PHONE).matches ? "attention" : "number");
  page.order = ORDERS.includes(order) ? order : "number";
  drawWords();
  byId("orders").addEventListener("click", (event) => {
    const button = event.target instanceof HTMLElement ? event.target.closest("button") : null;
    if (button?.dataset.order) setOrder(button.dataset.order);
  });
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  search.addEventListener("input", () => find(search, search.value));
  document.addEventListener("keydown", onKey);
  who.start();
  approve.start();
  alarms.start();
  if (first) stream.start();
}

start();
