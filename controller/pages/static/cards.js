/** Cards as vectors: rank above, symbol below, never from a font of symbols (screens §12). */

const SVG = "http://www.w3.org/2000/svg";

/** @type {Record<string, [string, string]>} */
const SUITS = {
  s: ["spade", "M50 0C34 24 6 38 6 66c0 16 11 26 24 26 8 0 13-4 17-9-1 12-6 19-14 25h34c-8-6-13-13-14-25 4 5 9 9 17 9 13 0 24-10 24-26C94 38 66 24 50 0z"],
  h: ["heart", "M50 104C34 84 4 64 4 36 4 18 16 6 30 6c9 0 16 5 20 13C54 11 61 6 70 6c14 0 26 12 26 30 0 28-30 48-46 68z"],
  d: ["diamond", "M50 0C60 20 76 40 92 54 76 68 60 88 50 108 40 88 24 68 8 54 24 40 40 20 50 0z"],
  c: ["club", "M50 2c14 0 24 10 24 23 0 6-2 10-5 14 3-1 6-1 8-1 11 0 20 9 20 22S88 82 76 82c-9 0-17-5-22-12 1 17 6 30 15 38H31c9-8 14-21 15-38-5 7-13 12-22 12C12 82 3 73 3 60s9-22 20-22c2 0 5 0 8 1-3-4-5-8-5-14C26 12 36 2 50 2z"],
};

/** @type {Record<string, string>} */
const FRENCH = { K: "R", Q: "D", J: "V", A: "A" };

/**
 * @param {string} code Rank and suit, as `Td`.
 * @param {boolean} [french] French indices.
 * @returns {SVGSVGElement}
 */
export function face(code, french = false) {
  const drawn = SUITS[code.charAt(1)];
  if (!drawn) throw new Error("a card without a suit");
  const [suit, path] = drawn;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "face");
  svg.setAttribute("viewBox", "0 0 100 139");
  svg.setAttribute("aria-hidden", "true");
  const rank = document.createElementNS(SVG, "text");
  rank.setAttribute("class", suit);
  rank.setAttribute("x", "50");
  rank.setAttribute("y", "62");
  rank.setAttribute("font-size", code.startsWith("T") ? "64" : "74");
  const letter = code.charAt(0).replace("T", "10");
  rank.textContent = french ? (FRENCH[letter] ?? letter) : letter;
  const mark = document.createElementNS(SVG, "path");
  mark.setAttribute("class", suit);
  mark.setAttribute("d", path);
  mark.setAttribute("transform", "translate(23 73) scale(0.54)");
  svg.append(rank, mark);
  return svg;
}

/**
 * Down cards as backs that overlap.
 *
 * @param {number} count
 * @returns {HTMLElement[]}
 */
export function backs(count) {
  return Array.from({ length: count }, (_, index) => {
    const back = document.createElement("span");
    back.className = index === count - 1 ? "back last" : "back";
    back.setAttribute("aria-hidden", "true");
    return back;
  });
}
