/** From an open seat of the room to the table's own sheet: who is to sit where stands in the address, behind the #. */

import { fill } from "./words.js";

const SEATS = 8;
/** Phases in which the hand that is named is over. */
const OVER = ["ended", "voided"];

/** @param {number} seat @param {string} [name] @returns {string} */
export function seatHash(seat, name = "") {
  return `#${new URLSearchParams({ seat: String(seat), ...(name ? { name } : {}) })}`;
}

/** @param {string} hash @returns {{ spec: string, seat: number, name: string } | null} The sheet to open, and who is to sit; null where nobody is. */
function seating(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const seat = Number(asked.get("seat"));
  if (!Number.isInteger(seat) || seat < 1 || seat > SEATS) return null;
  return { spec: `form:seat_player?seat=${seat}`, seat, name: asked.get("name") ?? "" };
}

/** Opens the sheet as soon as the table takes it: players sit down between hands (R-SETUP-07). */
export class Seating {
  /**
   * @param {string} hash
   * @param {import("./sheets.js").Sheets} sheets
   * @param {(spec: string) => Promise<void>} open
   * @param {(said: string) => void} tell
   */
  constructor(hash, sheets, open, tell) {
    this.asked = seating(hash);
    this.sheets = sheets;
    this.open = open;
    this.tell = tell;
    this.isTold = false;
  }

  /** @param {any} tile The table as it is now. */
  look(tile) {
    if (!this.asked || this.sheets.isOpen) return;
    const { spec, seat, name } = this.asked;
    if (tile.hand !== null && !OVER.includes(tile.phase)) {
      if (!this.isTold) this.tell(fill("floor.room.seat_later", { n: seat, who: name && ` (${name})` }));
      this.isTold = true;
      return;
    }
    this.asked = null;
    history.replaceState(null, "", location.pathname); // a page that is loaded again asks nothing
    this.open(spec).then(() => nameIn(this.sheets, name));
  }
}

/** Put the name where the sheet asks for it; it can be changed there. @param {import("./sheets.js").Sheets} sheets @param {string} name */
function nameIn(sheets, name) {
  const input = sheets.box.querySelector("input");
  if (!name || !input || sheets.form?.fields[sheets.step]?.path !== "name") return;
  input.value = name;
  input.select();
}
