/** Draws the screen that the table describes. Nothing is decided or computed here. */

import { backs, face } from "./cards.js";
import { byId, make, write } from "./elements.js";
import { own, pick } from "./words.js";

/** @param {any} strip @param {boolean} stopped */
export function drawStrip(strip, stopped) {
  write(byId("strip-table"), pick(strip.table));
  write(byId("strip-game"), pick(strip.game));
  write(byId("strip-hand"), pick(strip.hand));
  write(byId("strip-keyed"), pick(strip.by_hand));
  const devices = byId("strip-devices");
  write(devices, pick(strip.devices.text));
  devices.className = strip.devices.wrong ? (stopped ? "stopped" : "wrong") : "ok";
  document.title = `${pick(strip.table)} · ${pick(strip.hand)}`;
}

const LONG = 40;
const LONGER = 52;
const SEE = 14;

/**
 * @param {any} banner
 * @param {string} number What stands at the right; a clock counts it down.
 * @param {((see: any) => void) | null} onSee What a touch of *Acknowledge* does; `null` where nobody may.
 */
export function drawBanner(banner, number, onSee) {
  const title = pick(banner.title);
  const section = byId("banner");
  section.className = `banner alarm-${banner.level}${banner.seen ? " seen" : ""}`;
  const see = drawSeen(banner, onSee);
  write(byId("banner-badge"), banner.level ? String(banner.level) : "");
  const heading = byId("banner-title");
  const room = LONG - (number.length > 4 ? 6 : 0) - (banner.level ? 3 : 0) - (see ? SEE : 0);
  heading.className = title.length > LONGER - (see ? SEE : 0) ? "longer" : title.length > room ? "long" : "";
  if (heading.textContent !== title) {
    const next = /** @type {HTMLElement} */ (heading.cloneNode(false));
    next.textContent = title;
    heading.replaceWith(next);
  }
  write(byId("banner-number"), number);
  write(byId("banner-unit"), pick(banner.unit));
  drawReason(pick(banner.reason));
}

/**
 * Who has seen the alarm, or the button by which somebody says so. Nothing lies beside it that dismisses or moves (screens §9).
 *
 * @param {any} banner
 * @param {((see: any) => void) | null} onSee
 * @returns {boolean} Whether anything stands there.
 */
function drawSeen(banner, onSee) {
  const box = byId("banner-see");
  const see = banner.seen || !onSee ? null : banner.see;
  const said = pick(banner.seen);
  const drawn = JSON.stringify([see, said, pick(see?.text)]);
  if (box.dataset.drawn === drawn) return Boolean(see || said);
  box.dataset.drawn = drawn;
  if (!see) {
    box.replaceChildren(...(said ? [make("span", "", said)] : []));
    return Boolean(said);
  }
  const button = make("button", "", pick(see.text));
  button.setAttribute("type", "button");
  button.id = "see";
  button.addEventListener("click", () => onSee?.(see));
  box.replaceChildren(button);
  return true;
}

/** @param {string} text The banner's second line: on two smaller lines where one is too short for it. */
export function drawReason(text) {
  const reason = byId("banner-reason");
  if (reason.textContent === text && reason.dataset.room === String(reason.clientWidth)) return;
  reason.textContent = text;
  reason.className = "";
  if (reason.scrollWidth > reason.clientWidth) reason.className = "long";
  reason.dataset.room = String(reason.clientWidth);
}

const MANY = 5;
const RAISED_FROM = 3;
const SEVEN_FROM = 6;

/**
 * @param {any[]} tiles
 * @param {(seat: number) => void} onSeat
 */
export function drawTiles(tiles, onSeat) {
  const map = byId("map");
  for (const tile of tiles) {
    const id = `tile-${tile.seat}`;
    let element = document.getElementById(id);
    if (!element) {
      element = make("button", "tile");
      element.id = id;
      element.setAttribute("type", "button");
      element.addEventListener("click", () => onSeat(tile.seat));
      element.style.gridArea = `s${tile.seat}`;
      map.append(element);
    }
    const drawn = JSON.stringify([tile, pick(tile.say)]);
    if (element.dataset.drawn === drawn) continue;
    element.dataset.drawn = drawn;
    element.className = `tile ${tile.look}${size(tile)}`;
    element.setAttribute("aria-label", pick(tile.say));
    element.replaceChildren(
      make("span", "seat", String(tile.seat)),
      make("span", "who", make("span", "name", tile.name || pick(tile.word)), make("span", "chips", String(tile.chips ?? ""))),
      make("span", "bet", make("span", "label", pick(tile.label)), make("span", "amount", String(tile.amount ?? ""))),
      make("span", "cards", ...backs(tile.down), ...slot(tile, "down"), ...tile.up.map((/** @type {string} */ card) => face(card)), ...slot(tile, "up")),
      make("span", "word", tile.name ? pick(tile.word) : ""),
    );
  }
  orderTiles(map, tiles);
}

/**
 * @param {any} tile
 * @returns {string} How small its cards are, and whether its word stands above them, where it covers none.
 */
function size(tile) {
  const cards = tile.up.length + tile.down + (tile.slot ? 1 : 0);
  const raised = tile.name && pick(tile.word) && tile.look !== "out" && (tile.amount === null || cards > RAISED_FROM);
  return `${cards > MANY ? " many" : ""}${tile.up.length > SEVEN_FROM ? " seven" : ""}${raised ? " raised" : ""}`;
}

/**
 * The keyboard goes through the seats clockwise from the actor, as the document has them. They stay as they are while one has the
 * focus or is pressed.
 *
 * @param {HTMLElement} map
 * @param {any[]} tiles
 */
function orderTiles(map, tiles) {
  const first = Math.max(tiles.findIndex((tile) => tile.look === "actor" || tile.look === "expected"), 0);
  if (map.dataset.first === String(first) || map.matches(":active") || map.contains(document.activeElement)) return;
  map.dataset.first = String(first);
  map.append(...[...tiles.slice(first), ...tiles.slice(0, first)].map((tile) => byId(`tile-${tile.seat}`)), byId("middle"));
}

/** @param {any} tile @param {string} which */
function slot(tile, which) {
  return tile.slot === which ? [make("span", `slot ${which}`)] : [];
}

/** @param {any} middle @param {boolean} stopped */
export function drawMiddle(middle, stopped) {
  const box = byId("middle");
  box.className = stopped ? "middle stopped" : "middle";
  const children = [];
  if (middle.moves.length) {
    const list = make("ul", "moves");
    for (const move of middle.moves) list.append(make("li", "", pick(move.from), make("em", "", "→"), make("em", "", pick(move.to))));
    children.push(list);
  } else if (middle.pot !== null) {
    const streets = make("ol", "streets");
    for (const street of middle.streets) {
      const item = make("li", street.now ? "now" : "", pick(street.text));
      if (street.now) item.setAttribute("aria-current", "step");
      streets.append(item);
    }
    const pot = make("div", "", make("div", "potlabel", own("ui.pot")), make("div", "pot", String(middle.pot)));
    children.push(make("div", "top", pot, streets));
  }
  if (middle.common) children.push(make("div", "common", pick(middle.common.text), face(middle.common.card)));
  if (middle.cards) children.push(progress(middle.cards));
  if (middle.pots.length) {
    const pots = middle.pots.map((/** @type {any} */ pot) => make("span", "", `${pick(pot.text)} `, make("b", "", String(pot.amount)), ` · ${pick(pot.seats)}`));
    children.push(make("div", "pots", ...pots));
  }
  const lines = make("div", "lines");
  for (const line of middle.lines) lines.append(make("div", "", ...line.map((/** @type {any} */ said) => make("span", "", pick(said)))));
  if (middle.lines.length) children.push(lines);
  box.replaceChildren(...children);
}

/** @param {{ done: number, total: number }} cards */
function progress(cards) {
  const row = make("div", "progress");
  for (let index = 0; index < cards.total; index += 1) {
    row.append(make("i", index < cards.done ? "done" : index === cards.done ? "next" : ""));
  }
  return row;
}

const SMALL_FROM = 4;

/** @param {any | null} award */
export function drawAward(award) {
  const box = byId("award");
  const shown = Boolean(award && award.pots.length);
  box.hidden = !shown;
  byId("map").hidden = shown;
  if (!shown) return;
  box.className = award.hands.length >= SMALL_FROM ? "award small" : "award";
  box.replaceChildren(make("div", "hands", ...award.hands.map(hand)), make("div", "potlist", ...award.pots.map(pot)));
}

/** @param {any} tabled */
function hand(tabled) {
  const cards = tabled.cards.map((/** @type {any} */ one) => make("figure", one.mark ? "counts" : "", face(one.card), make("figcaption", "", one.mark)));
  const read = make("div", "read", make("span", "", tabled.name), ...tabled.lines.map((/** @type {any} */ line) => make("b", "", pick(line))));
  const takes = tabled.takes === null ? [] : [make("div", "takes", own("ui.takes"), make("b", "", String(tabled.takes)))];
  return make("div", "hand", make("span", "seat", String(tabled.seat)), make("div", "cards", ...cards), read, ...takes);
}

/** @param {any} one */
function pot(one) {
  const head = make("header", "", make("span", "", pick(one.name)), make("b", "", String(one.amount)));
  const lines = one.lines.map((/** @type {any} */ line) => make("div", "", pick(line)));
  return make("section", "onepot", head, make("div", "", pick(one.between)), ...lines);
}
