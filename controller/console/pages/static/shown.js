/**
 * What stands on a seat's page, read back from it: the line of which the table knows the digest. Nothing of it is taken from what
 * came in, so that a page which draws something else is found out.
 */

const SUITS = ["spade", "heart", "diamond", "club"];

/** @param {string} id @returns {string} */
function textOf(id) {
  return document.getElementById(id)?.textContent ?? "";
}

/** @param {Element} card @returns {string} */
function cardOf(card) {
  const rank = card.querySelector("text");
  const suit = SUITS.find((name) => rank?.classList.contains(name)) ?? "?";
  const text = rank?.textContent ?? "?";
  return (text === "10" ? "T" : text) + suit[0];
}

/** @param {Element | null} element @returns {string} */
function amountOf(element) {
  return element?.textContent || "0";
}

/** @param {HTMLElement} option @returns {string} An option as it reads; one that reads otherwise than it is meant fails. */
function optionOf(option) {
  const read = (option.querySelector("b")?.textContent ?? "").replace(/\D/g, "");
  const meant = option.dataset.shown ?? "";
  return read === meant ? `${option.dataset.verb}:${option.dataset.to}:${option.dataset.amount}` : `${option.dataset.verb}:?${read}`;
}

/** @returns {string} */
export function shownLine() {
  const body = document.body.dataset;
  const tiles = [...document.querySelectorAll("#boards > li.board")];
  const seats = Array.from({ length: Number(body.seats ?? 0) }, (_, index) => {
    const tile = tiles.find((one) => one.querySelector(".number")?.textContent === String(index + 1));
    return {
      bet: amountOf(tile?.querySelector(".bet b") ?? null),
      won: amountOf(tile?.querySelector(".won b") ?? null),
      cards: [...(tile?.querySelectorAll(".face") ?? [])].map(cardOf).join(""),
    };
  });
  const several = [...document.querySelectorAll("#pots > li > b")].map((one) => one.textContent ?? "");
  const pots = several.length > 0 ? several : [textOf("pot")].filter((one) => one !== "–");
  const acting = document.querySelector("#boards > li.acts .number")?.textContent ?? "0";
  const common = document.querySelector("#boards > li.common .face");
  const options = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#options > li")]);
  return [
    textOf("seat-number"),
    body.state ?? "",
    textOf("hand") === "–" ? "0" : textOf("hand"),
    document.getElementById("street")?.dataset.street ?? "0",
    acting,
    textOf("call"),
    textOf("stack"),
    textOf("win"),
    pots.join(","),
    seats.map((one) => one.bet).join(","),
    seats.map((one) => one.won).join(","),
    seats.map((one) => one.cards).join(","),
    common ? cardOf(common) : "",
    options.map(optionOf).join(","),
  ].join("|");
}

/** @param {string} line ASCII. @returns {string} CRC-32 as eight hexadecimal digits. */
export function digest(line) {
  let crc = 0xffffffff;
  for (let index = 0; index < line.length; index += 1) {
    crc ^= line.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}
