/** From an open seat of the room to the table's own sheet: who is to sit where stands in the address, behind the #. */

const SEATS = 8;

/** @param {number} seat @param {string} [name] @returns {string} */
export function seatHash(seat, name = "") {
  return `#${new URLSearchParams({ seat: String(seat), ...(name ? { name } : {}) })}`;
}

/** @param {string} hash @returns {{ spec: string, name: string } | null} The sheet to open, and who is to sit; null where nobody is. */
export function seating(hash) {
  const asked = new URLSearchParams(hash.slice(1));
  const seat = Number(asked.get("seat"));
  if (!Number.isInteger(seat) || seat < 1 || seat > SEATS) return null;
  return { spec: `form:seat_player?seat=${seat}`, name: asked.get("name") ?? "" };
}

/** Put the name where the sheet asks for it; it can be changed there. @param {import("./sheets.js").Sheets} sheets @param {string} name */
export function nameIn(sheets, name) {
  const input = sheets.box.querySelector("input");
  if (!name || !input || sheets.form?.fields[sheets.step]?.path !== "name") return;
  input.value = name;
  input.select();
}
