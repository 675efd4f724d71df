/** What happened at one table, its devices and its journal, each as a list to read. */

import { face } from "./cards.js";
import { byId, make, write } from "./elements.js";
import { cardSaid } from "./felt.js";
import { title } from "./said.js";
import { clock, elapsed } from "./times.js";
import { fill, language, own, pick } from "./words.js";

const SHOWN = 16;
const HEAD = 12;
const HEALTHS = ["lost", "degraded", "unknown", "ok"];

/** @typedef {Record<string, any>} Detail */

/** @param {string} id @param {unknown} from @param {() => Node[]} draw Draws only what is another. */
function anew(id, from, draw) {
  const list = byId(id);
  const drawn = JSON.stringify([from, language()]);
  if (list.dataset.drawn === drawn) return;
  list.dataset.drawn = drawn;
  list.replaceChildren(...draw());
}

/** @param {Detail} detail @param {number} now */
export function drawLists(detail, now) {
  anew("event-list", detail.events, () => orNone([...detail.events].reverse().slice(0, SHOWN).map(drawEvent), "floor.one.no_events"));
  anew("hand-list", detail.hands, () => orNone([...detail.hands].reverse().map((one) => drawHand(one, detail.journal?.id)), "floor.one.no_hands"));
  anew("ruling-list", detail.rulings, () => orNone([...detail.rulings].reverse().map(drawRuling), "floor.one.no_rulings"));
  anew("device-list", detail.devices, () => orNone(worstFirst(detail.devices).map(drawDevice), "floor.one.no_devices"));
  for (const age of /** @type {NodeListOf<HTMLElement>} */ (byId("device-list").querySelectorAll("[data-at]"))) {
    write(age, fill("floor.one.for", { time: elapsed(now - Date.parse(age.dataset.at ?? "")) }));
  }
  anew("journal-list", detail.journal, () => drawJournal(detail.journal));
}

/** @param {any[]} devices @returns {any[]} What does not answer before the rest, which stays in the order of its names. */
function worstFirst(devices) {
  return [...devices].sort((one, other) => HEALTHS.indexOf(one.health) - HEALTHS.indexOf(other.health));
}

/** @param {Node[]} items @param {string} otherwise @returns {Node[]} */
function orNone(items, otherwise) {
  return items.length > 0 ? items : [make("li", "quiet", own(otherwise))];
}

/** @param {string} key @param {Record<string, string | number>} values @param {string} otherwise @returns {string} */
function saidOr(key, values, otherwise) {
  const said = fill(key, values);
  return said === key ? otherwise : said;
}

/** @param {string} what @returns {string} What a table of a newer release tells of, by its code. */
function newer(what) {
  return fill("floor.newer", { what });
}

/** @param {any} event @returns {Node} */
function drawEvent(event) {
  const cards = [...(event.card ? [event.card] : []), ...(event.cards ?? [])];
  const faces = make("span", "faces", ...cards.map((card) => face(card)));
  faces.setAttribute("aria-hidden", "true");
  const told = make("span", "what", eventSaid(event), make("span", "spoken", cards.map(cardSaid).join(", ")));
  return make("li", event.event === "hand_held" || event.event === "ruled" ? "loud" : "", make("time", "", clock(event.at)), told, faces);
}

/** @param {any} event @returns {string} One event in a few words. */
function eventSaid(event) {
  const kind = event.event === "action_taken" ? `act.${event.verb}` : event.event === "card_dealt" ? `card_dealt.${event.card ? "up" : "down"}` : event.event;
  const what = ["hand_held", "hold_lifted"].includes(event.event) ? title(event.code) : event.event === "ruled" ? rulingSaid(event.code) : "";
  const where = event.street ? own(`floor.sub.street.${event.street}`) : "";
  const seat = event.seat ?? "";
  const said = saidOr(`floor.event.${kind}`, { n: seat, x: event.chips ?? "", to: event.to ?? "", to_seat: event.to_seat ?? "", hand: event.hand ?? "", what, street: where }, newer(event.event));
  return event.all_in ? `${said} · ${own("floor.seat.all_in")}` : said;
}

/** @param {string} code @returns {string} */
function rulingSaid(code) {
  return saidOr(`floor.ruling.${code}`, {}, code);
}

/** @param {number} hand @param {string | undefined} journal @returns {Node} The way to that hand in the copy. */
function replay(hand, journal) {
  const said = fill("floor.one.hand", { n: hand });
  if (!journal) return make("b", "", said);
  const link = /** @type {HTMLAnchorElement} */ (make("a", "replay", said));
  link.href = `/hands/${encodeURIComponent(document.body.dataset.table ?? "")}/${journal}/${hand}`;
  return link;
}

/** @param {any} hand @param {string | undefined} journal @returns {Node} */
function drawHand(hand, journal) {
  const won = hand.winners.map((/** @type {any} */ one) => fill("floor.one.won", { n: one.seat, x: one.chips }));
  const said = hand.voided ? own("floor.one.voided") : won.join(" · ");
  return make("li", "", make("time", "", clock(hand.ended_at)), replay(hand.hand, journal), make("span", "what", said));
}

/** @param {any} ruling @returns {Node} */
function drawRuling(ruling) {
  const where = ruling.hand ? [make("span", "where", fill("floor.one.hand", { n: ruling.hand }))] : [];
  const by = ruling.agreed_by ? fill("floor.one.ruled_two", { by: ruling.by, other: ruling.agreed_by }) : ruling.by;
  const what = make("span", "what", make("b", "", rulingSaid(ruling.code)), by ? ` · ${by}` : "");
  return make("li", "", make("time", "", clock(ruling.at)), what, ...where);
}

/** @param {any} device @returns {Node} */
function drawDevice(device) {
  const age = make("span", "where");
  age.dataset.at = device.at;
  const head = make("span", "what", make("b", "", device.device), ` ${[kindSaid(device.kind), device.identity].filter(Boolean).join(" · ")}`);
  const item = make("li", `device ${device.health}`, make("span", "health", saidOr(`floor.health.${device.health}`, {}, newer(device.health))), head, age);
  if (device.text) item.append(make("p", "trouble", pick(device.text)));
  return item;
}

/** @param {string} kind @returns {string} */
function kindSaid(kind) {
  return saidOr(`floor.kind.${kind}`, {}, kind);
}

/** @param {any} journal @returns {Node[]} */
function drawJournal(journal) {
  if (!journal) return [make("dt", "", own("floor.one.no_journal")), make("dd")];
  const head = make("code", "", journal.head ? `${journal.head.slice(0, HEAD)}…` : "–");
  if (journal.head) head.title = journal.head;
  const isWhole = journal.kept !== null && journal.last_event !== null && journal.kept >= journal.last_event;
  const kept = journal.kept === null ? own("floor.one.kept.none") : fill(isWhole ? "floor.one.kept.whole" : "floor.one.kept", { n: journal.kept });
  const proven = journal.verified === null ? own("floor.one.verified.none") : fill("floor.one.verified", { n: journal.verified });
  const copy = journal.doubts.length > 0 ? journal.doubts.map(title).join(" · ") : `${kept} · ${proven}`;
  const rows = [
    ["floor.one.journal.id", make("code", "", journal.id)],
    ["floor.one.journal.seq", String(journal.seq)],
    ["floor.one.journal.head", head],
    ["floor.one.journal.copy", make("span", journal.doubts.length > 0 ? "doubt" : "", copy)],
  ];
  return rows.flatMap(([key, value]) => [make("dt", "", own(String(key))), make("dd", "", value ?? "")]);
}
