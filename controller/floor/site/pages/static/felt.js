/** The felt as the dealer's map, to be read only: seats as they lie before the dealer, and the middle. Up cards and counts alone. */

import { backs, face } from "./cards.js";
import { byId, make } from "./elements.js";
import { fill, own } from "./words.js";

const STREETS = [3, 4, 5, 6, 7];
const MANY = 5;
const QUIET = ["folded", "empty", "out", "ghost"];

/** @typedef {Record<string, any>} View The table's public view. */

/** @param {View | null} view @param {string} language */
export function drawFelt(view, language) {
  const map = byId("map");
  const drawn = JSON.stringify([view, language]);
  if (map.dataset.drawn === drawn) return;
  map.dataset.drawn = drawn;
  const wrong = seatOf(view?.hold?.place);
  const list = make("ol", "seats");
  for (const seat of view?.seats ?? []) list.append(drawSeat(seat, view?.actor === seat.seat, wrong === seat.seat));
  const middle = make("div", "middle");
  middle.id = "middle";
  if (view) middle.append(...drawMiddle(view));
  map.replaceChildren(list, middle);
}

/** @param {string | null | undefined} place @returns {number} The seat of a place; 0 for any other. */
function seatOf(place) {
  return place?.startsWith("seat/") ? Number(place.split("/")[1]) : 0;
}

/** @param {any} seat @param {boolean} acts @param {boolean} wrong @returns {HTMLElement} */
function drawSeat(seat, acts, wrong) {
  const looks = ["seat", wrong ? "wrong" : acts ? "acts" : QUIET.includes(seat.state) ? "quiet" : ""];
  const up = seat.tabled ?? seat.up;
  if (up.length + seat.down > MANY) looks.push("many");
  const element = make("li", looks.filter(Boolean).join(" "));
  element.dataset.seat = String(seat.seat);
  const head = make("span", "who", make("b", "number", String(seat.seat)), make("span", "name", seat.name || own(`floor.seat.${seat.state}`)));
  const isTaken = seat.state !== "empty";
  const chips = make("span", "chips", isTaken ? String(seat.stack) : "");
  const cards = make("span", "cards", ...(seat.tabled ? [] : backs(seat.down)), ...up.map((/** @type {string} */ card) => face(card)));
  cards.setAttribute("aria-hidden", "true");
  const word = make("span", "word", isTaken ? stateWord(seat, acts, wrong) : "");
  const amount = seat.won || seat.street_chips;
  const bet = make("span", "bet", ...(amount ? [`${own(seat.won ? "floor.seat.won" : "floor.seat.bet")} `, make("b", "", String(amount))] : []));
  element.append(head, chips, cards, word, bet, make("span", "spoken", spoken(seat, up)));
  return element;
}

/** @param {any} seat @param {boolean} acts @param {boolean} wrong @returns {string} */
function stateWord(seat, acts, wrong) {
  if (wrong) return own("floor.seat.look");
  if (acts) return own("floor.seat.acts");
  return seat.state === "live" ? "" : own(`floor.seat.${seat.state}`);
}

/** @param {any} seat @param {string[]} up @returns {string} Its cards, for who hears the page. */
function spoken(seat, up) {
  const down = seat.down && !seat.tabled ? fill("floor.seat.down", { k: seat.down }) : "";
  return [down, ...up.map(cardSaid)].filter(Boolean).join(", ");
}

/** @param {string} card @returns {string} `ten of diamonds`. */
export function cardSaid(card) {
  return fill("floor.card", { rank: own(`floor.card.${card.charAt(0)}`), suit: own(`floor.card.${card.charAt(1)}`) });
}

/** @param {View} view @returns {HTMLElement[]} */
function drawMiddle(view) {
  const parts = [];
  const pot = view.pots.reduce((/** @type {number} */ sum, /** @type {any} */ one) => sum + one.amount, 0);
  if (view.hand !== null) {
    const streets = make("ol", "streets");
    for (const street of STREETS) {
      const item = make("li", street === view.street ? "now" : "", own(`floor.sub.street.${street}`));
      if (street === view.street) item.setAttribute("aria-current", "step");
      streets.append(item);
    }
    parts.push(make("div", "top", make("div", "pot", make("span", "", own("floor.one.pot")), make("b", "", String(pot))), streets));
  }
  if (view.pots.length > 1) {
    const pots = view.pots.map((/** @type {any} */ one, /** @type {number} */ index) => {
      const name = index ? fill("floor.one.side", { k: index }) : own("floor.one.main");
      return make("li", "", `${name} `, make("b", "", String(one.amount)), ` · ${fill("floor.one.between", { seats: one.seats.join(" ") })}`);
    });
    parts.push(make("ul", "pots", ...pots));
  }
  const facts = [];
  if (view.actor !== null && view.price) facts.push(fill("floor.one.price", { n: view.actor, x: view.price }));
  if (view.opener) facts.push(fill("floor.one.opened", { n: view.opener }));
  else if (view.bring_in_seat) facts.push(fill("floor.one.bring_in", { n: view.bring_in_seat }));
  if (view.raises) facts.push(fill("floor.one.raises", { k: view.raises }));
  if (view.manually_verified) facts.push(own("floor.one.by_hand"));
  if (view.community) parts.push(make("p", "common", own("floor.one.common"), face(view.community)));
  if (facts.length > 0) parts.push(make("p", "facts", facts.join(" · ")));
  return parts;
}
