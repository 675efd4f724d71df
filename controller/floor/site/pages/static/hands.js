/** Hands that were played: looked for, listed, and a way to each. It takes no action. */

import { byId, make, write } from "./elements.js";
import { ask, begin, field, filled, link, when } from "./past.js";
import { own } from "./words.js";

const COLUMNS = ["ended", "table", "hand", "game", "dealer", "players", "pot", "rake", "length", "outcome"];
const GAMES = ["stud", "stud8", "razz"];
const MINUTE_S = 60;

/** @type {{ hands: any[], cursor: string | null }} */
const page = { hands: [], cursor: null };

function drawForm() {
  const form = /** @type {HTMLFormElement} */ (byId("ask"));
  const kept = new FormData(form);
  const given = new URLSearchParams(location.search);
  const value = (/** @type {string} */ name) => String(kept.get(name) ?? given.get(name) ?? "");
  /** @type {[string, string]} */
  const any = ["", own("history.any")];
  const games = GAMES.map((game) => /** @type {[string, string]} */ ([game, own(`floor.game.${game}`)]));
  const ends = ["hand_ended", "hand_voided"].map((end) => /** @type {[string, string]} */ ([end, own(`history.end.${end}`)]));
  const button = make("button", "pri", own("history.search"));
  button.setAttribute("type", "submit");
  form.replaceChildren(
    field("table", "text", value("table")),
    field("player", "text", value("player")),
    field("dealer", "text", value("dealer")),
    field("from", "datetime-local", value("from")),
    field("to", "datetime-local", value("to")),
    field("variant", "select", value("variant"), [any, ...games]),
    field("outcome", "select", value("outcome"), [any, ...ends]),
    field("min_pot", "number", value("min_pot")),
    button,
  );
}

/** @param {any} hand @returns {HTMLElement} */
function row(hand) {
  const path = `/hands/${encodeURIComponent(hand.table)}/${hand.journal}/${hand.hand}`;
  const seats = hand.seats.map((/** @type {any} */ seat) => seat.name || String(seat.seat)).join(", ");
  const length = hand.seconds === null ? "" : `${Math.floor(hand.seconds / MINUTE_S)}:${String(hand.seconds % MINUTE_S).padStart(2, "0")}`;
  const values = {
    ended: when(hand.ended_at),
    table: hand.table,
    hand: link(path, String(hand.hand)),
    game: hand.variant ? own(`floor.game.${hand.variant}`) : "",
    dealer: hand.dealer ?? "",
    players: seats,
    pot: hand.pot ?? "",
    rake: hand.rake ?? "",
    length,
    outcome: own(`history.end.${hand.outcome}`),
  };
  const made = make("tr", hand.outcome === "hand_voided" ? "void" : "");
  for (const name of COLUMNS) {
    const cell = make("td", name, /** @type {any} */ (values)[name]);
    cell.dataset.name = own(`history.col.${name}`);
    made.append(cell);
  }
  return made;
}

function drawRows() {
  const table = byId("rows");
  table.querySelector("thead")?.replaceChildren(make("tr", "", ...COLUMNS.map((name) => make("th", name, own(`history.col.${name}`)))));
  table.querySelector("tbody")?.replaceChildren(...page.hands.map(row));
  const keys = [link(`/api/hands.csv?${filled(/** @type {HTMLFormElement} */ (byId("ask")))}`, own("history.csv"), true)];
  if (page.cursor) {
    const more = make("button", "", own("history.more"));
    more.addEventListener("click", () => search(page.cursor));
    keys.unshift(/** @type {any} */ (more));
  }
  byId("keys").replaceChildren(...keys);
}

/** @param {string | null} cursor Behind which hand; null for the first ones. */
async function search(cursor) {
  const asked = filled(/** @type {HTMLFormElement} */ (byId("ask")));
  if (cursor) asked.set("cursor", cursor);
  const told = await ask(`/api/hands?${asked}`);
  if (!told) return;
  page.hands = cursor ? [...page.hands, ...told.hands] : told.hands;
  page.cursor = told.cursor;
  if (page.hands.length === 0) write(byId("said"), own("history.nothing"));
  drawRows();
}

function draw() {
  write(byId("title"), own("history.page.hands"));
  document.title = own("history.page.hands");
  drawForm();
  drawRows();
}

begin(draw);
draw();
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  search(null);
});
search(null);
