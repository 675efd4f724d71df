/** Who waits for which game: in columns, the first first, with the seats that are open, and who has left. */

import { byId, make, write } from "./elements.js";
import { button, keepFocus } from "./room_orders.js";
import { game } from "./said.js";
import { seatHash } from "./seating.js";
import { clock, elapsed, minutes } from "./times.js";
import { fill, language, own } from "./words.js";

/** Up to so many open seats are shown without being asked for. */
const SEATS_SHOWN = 8;

/**
 * @typedef {Record<string, any>} Entry
 * @typedef {Record<string, any>} Game
 */

export class Lists {
  /** @param {import("./room_orders.js").Orders} orders @param {() => number} now The floor's clock. @param {() => boolean} mayOrder */
  constructor(orders, now, mayOrder) {
    this.orders = orders;
    this.now = now;
    this.mayOrder = mayOrder;
    this.drawn = "";
    this.games = "";
    /** @type {Map<string, string>} What was said to the last press, by entry. */
    this.notes = new Map();
    /** @type {Map<string, boolean>} Lists of open seats that were opened or closed by hand. */
    this.opened = new Map();
    /** @type {Record<string, any>} */
    this.picture = { games: [], left: [] };
  }

  start() {
    byId("add").addEventListener("submit", (event) => {
      event.preventDefault();
      this.add();
    });
  }

  /** @param {Record<string, any>} picture */
  draw(picture) {
    this.picture = picture;
    byId("add").hidden = !this.mayOrder() || picture.games.length === 0;
    byId("waiting-none").hidden = picture.games.length > 0;
    this.drawGames(picture.games);
    const drawn = JSON.stringify([picture.games, picture.left, [...this.notes], this.mayOrder(), language()]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      const columns = byId("columns");
      keepFocus(columns, () => columns.replaceChildren(...picture.games.map((/** @type {Game} */ one) => this.column(one))));
      byId("left").hidden = picture.left.length === 0;
      byId("left-list").replaceChildren(...picture.left.map(gone));
    }
    this.tick();
  }

  drawWords() {
    const words = { "waiting-title": "waiting", "add-game-word": "game", "add-name-word": "player", "add-go": "add", "left-title": "left", "waiting-none": "no_game" };
    for (const [id, key] of Object.entries(words)) write(byId(id), own(`floor.room.${key}`));
    this.games = "";
  }

  /** The games to choose from; the one that was chosen stays. @param {Game[]} games */
  drawGames(games) {
    const wanted = JSON.stringify([games.map(nameOf), language()]);
    if (wanted === this.games) return;
    this.games = wanted;
    const select = /** @type {HTMLSelectElement} */ (byId("add-game"));
    const before = select.value;
    select.replaceChildren(
      ...games.map((one) => {
        const option = /** @type {HTMLOptionElement} */ (make("option", "", game({ game: one })));
        option.value = nameOf(one);
        return option;
      }),
    );
    if (games.some((one) => nameOf(one) === before)) select.value = before;
  }

  async add() {
    const input = /** @type {HTMLInputElement} */ (byId("add-name"));
    const select = /** @type {HTMLSelectElement} */ (byId("add-game"));
    const name = input.value.trim();
    const chosen = this.picture.games.find((/** @type {Game} */ one) => nameOf(one) === select.value);
    if (!name || !chosen) {
      write(byId("told"), fill("floor.room.due", { what: own("floor.room.player") }));
      input.focus();
      return;
    }
    const { variant, small, big } = chosen;
    const send = async () => {
      const why = await this.orders.give("waiting", { variant, small, big, name });
      write(byId("told"), why || fill("floor.room.added", { name, game: game({ game: chosen }) }));
      if (!why) input.value = "";
      return why;
    };
    await this.orders.now({ title: own("floor.room.add"), hint: `${name}, ${game({ game: chosen })}`, act: own("floor.room.add"), send }, () => input.focus());
  }

  /** @param {Game} one @returns {HTMLElement} */
  column(one) {
    const head = make("header", "", make("h3", "", game({ game: one })), make("span", "", fill("floor.room.count", { k: one.waiting.length })));
    const column = make("div", "column", head, this.openSeats(one));
    column.dataset.game = nameOf(one);
    if (one.waiting.length === 0) column.append(make("p", "nobody", own("floor.room.nobody")));
    else column.append(make("ol", "line", ...one.waiting.map((/** @type {Entry} */ entry, /** @type {number} */ at) => this.entry(one, entry, at + 1))));
    return column;
  }

  /** @param {Game} one @returns {HTMLElement} */
  openSeats(one) {
    if (one.open.length === 0) return make("p", "open", own("floor.room.no_seat"));
    const seats = make("div", "seats", ...one.open.map((/** @type {any} */ seat) => this.seat(seat, "", `${nameOf(one)} `)));
    const summary = make("summary", "", fill(one.open.length === 1 ? "floor.room.seat.open" : "floor.room.seats.open", { k: one.open.length }));
    summary.dataset.key = `${nameOf(one)} open`;
    const box = /** @type {HTMLDetailsElement} */ (make("details", "open", summary, seats));
    box.open = this.opened.get(nameOf(one)) ?? one.open.length <= SEATS_SHOWN;
    box.addEventListener("toggle", () => this.opened.set(nameOf(one), box.open));
    return box;
  }

  /** @param {{ table: string, seat: number }} seat @param {string} name Who is to sit there, called to that table. @param {string} key @returns {HTMLElement} */
  seat({ table, seat }, name, key) {
    const words = name ? fill("floor.sub.seat", { n: seat }) : fill("floor.room.seat", { table, n: seat });
    if (!this.mayOrder() || !document.body.dataset.seats) return make("span", "seat", words);
    const link = /** @type {HTMLAnchorElement} */ (make("a", "seat", words));
    link.href = `/tables/${encodeURIComponent(table)}${seatHash(seat, name)}`;
    link.setAttribute("aria-label", name ? fill("floor.room.seat_name", { name, table, n: seat }) : fill("floor.room.seat_somebody", { table, n: seat }));
    link.dataset.key = `${key}${table} ${seat}`;
    return link;
  }

  /** @param {Game} one @param {Entry} entry @param {number} place @returns {HTMLElement} */
  entry(one, entry, place) {
    const item = make("li", `entry ${entry.standing}`);
    item.dataset.entry = entry.entry;
    const since = make("span", "since");
    since.dataset.since = entry.since;
    item.append(make("b", "place", String(place)), make("b", "name", entry.name), since);
    if (entry.standing === "called") item.append(this.called(one, entry));
    const note = this.notes.get(entry.entry);
    if (note) {
      const said = make("p", "note", note);
      said.setAttribute("role", "alert");
      item.append(said);
    }
    if (this.mayOrder()) item.append(make("div", "deeds", ...this.deeds(one, entry)));
    return item;
  }

  /** @param {Game} one @param {Entry} entry @returns {HTMLElement} Where to, for how long, and the seats that are open there. */
  called(one, entry) {
    const left = make("strong", "until");
    left.dataset.until = entry.until;
    const box = make("p", "call", fill("floor.room.called", { table: entry.table }), " ", left);
    const seats = one.open.filter((/** @type {any} */ seat) => seat.table === entry.table);
    const links = seats.map((/** @type {any} */ seat) => this.seat(seat, entry.name, `${entry.entry} `));
    return make("div", "summons", box, ...(links.length > 0 ? [make("div", "seats", make("span", "word", own("floor.room.seat_at")), ...links)] : [make("p", "full", own("floor.room.no_seat_there"))]));
  }

  /** @param {Game} one @param {Entry} entry @returns {HTMLElement[]} Only what can be now. */
  deeds(one, entry) {
    const made = (/** @type {string} */ deed, /** @type {() => void} */ onPress, look = "") =>
      button(own(`floor.room.${deed}`), look, onPress, `${own(`floor.room.${deed}`).replace("…", "")}: ${entry.name}`, `${entry.entry} ${deed}`);
    const withdraw = made("withdraw", () => this.takeOff(entry, "withdrawn", "withdraw"), "line");
    const sits = entry.sits ? [made("sits", () => this.sits(entry), "pri")] : [];
    if (entry.standing === "called") return [...sits, made("back", () => this.back(entry)), made("gone", () => this.takeOff(entry, "gone", "gone")), withdraw];
    return one.open.length > 0 ? [...sits, made("call", () => this.call(one, entry), sits.length > 0 ? "" : "pri"), withdraw] : [...sits, withdraw];
  }

  /** @param {Entry} entry @param {string} what @param {object} [more] @returns {Promise<string>} */
  change(entry, what, more = {}) {
    return this.orders.give(`waiting/${encodeURIComponent(entry.entry)}`, { do: what, version: entry.version, ...more });
  }

  /** @param {Game} one @param {Entry} entry */
  call(one, entry) {
    const group = make("div", "picks");
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", own("floor.room.to_table"));
    for (const { table, seats, called } of tablesOf(one)) {
      const pick = /** @type {HTMLInputElement} */ (make("input"));
      pick.type = "radio";
      pick.name = "table";
      pick.value = table;
      const said = [fill("floor.room.seats", { seats: seats.join(", ") })];
      if (called > 0) said.push(fill("floor.room.called_there", { k: called }));
      group.append(make("label", "choice", pick, make("span", "", make("b", "", fill("floor.say.table", { table })), make("span", "", said.join(" · ")))));
    }
    const first = /** @type {HTMLInputElement | null} */ (group.querySelector("input"));
    if (first) first.checked = true;
    const send = (/** @type {FormData} */ given) => this.change(entry, "call", { table: String(given.get("table")) });
    this.orders.ask({ title: fill("floor.room.call_name", { name: entry.name }), hint: own("floor.room.call_hint"), fields: [group], act: own("floor.room.call").replace("…", ""), send });
  }

  /** Somebody of that name sits in the game already: it may be the one who waits. @param {Entry} entry */
  sits(entry) {
    const send = () => this.change(entry, "seated", { table: entry.sits });
    const hint = fill("floor.room.sits_hint", { name: entry.name, table: entry.sits });
    this.orders.ask({ title: `${own("floor.room.sits").replace("…", "")}: ${entry.name}`, hint, act: own("floor.room.sits").replace("…", ""), send });
  }

  /** @param {Entry} entry */
  back(entry) {
    const send = () => this.change(entry, "back");
    this.orders.now({ title: `${own("floor.room.back")}: ${entry.name}`, act: own("floor.room.back"), send }, (why) => this.note(entry, why));
  }

  /** What cannot be taken back is asked once. @param {Entry} entry @param {string} how @param {string} deed */
  takeOff(entry, how, deed) {
    const send = () => this.change(entry, how);
    const act = own(`floor.room.${deed}`).replace("…", "");
    this.orders.ask({ title: `${act}: ${entry.name}`, hint: own(`floor.room.${deed}_hint`), act, send });
  }

  /** @param {Entry} entry @param {string} why */
  note(entry, why) {
    if (why) this.notes.set(entry.entry, why);
    else this.notes.delete(entry.entry);
    this.draw(this.picture);
  }

  /** Running times. */
  tick() {
    const now = this.now();
    const of = (/** @type {string} */ name) => /** @type {NodeListOf<HTMLElement>} */ (byId("columns").querySelectorAll(`[data-${name}]`));
    for (const one of of("since")) write(one, fill("floor.room.since", { k: minutes(now - Date.parse(one.dataset.since ?? "")) }));
    for (const one of of("until")) {
      const left = Date.parse(one.dataset.until ?? "") - now;
      write(one, left > 0 ? fill("floor.room.time_left", { time: elapsed(left) }) : own("floor.room.late"));
      one.classList.toggle("late", left <= 0);
    }
  }
}

/** @param {Game} one @returns {string} */
function nameOf(one) {
  return `${one.variant} ${one.small}/${one.big}`;
}

/** @param {Game} one @returns {{ table: string, seats: number[], called: number }[]} Where seats are open that nobody was called to first. */
function tablesOf(one) {
  /** @type {Map<string, { table: string, seats: number[], called: number }>} */
  const found = new Map();
  for (const { table, seat } of one.open) {
    /** @type {{ table: string, seats: number[], called: number }} */
    const row = found.get(table) ?? { table, seats: [], called: one.waiting.filter((/** @type {Entry} */ entry) => entry.table === table).length };
    row.seats.push(seat);
    found.set(table, row);
  }
  const full = (/** @type {{ seats: number[], called: number }} */ row) => Number(row.called >= row.seats.length);
  return [...found.values()].sort((a, b) => full(a) - full(b) || a.table.localeCompare(b.table, undefined, { numeric: true }));
}

/** @param {Entry} one @returns {HTMLElement} Somebody who has left the list. */
function gone(one) {
  const what = one.standing === "seated" ? fill("floor.room.seated", { table: one.table }) : own(`floor.room.is_${one.standing}`);
  const item = make("li", "", make("span", "", clock(one.ended_at).slice(0, 5)), make("span", "", make("b", "", one.name), ` · ${what}`), make("span", "", game({ game: one })));
  item.dataset.entry = one.entry;
  return item;
}
