/** Who deals where by the rota, who comes next, and one shift given to another dealer. */

import { byId, make, write } from "./elements.js";
import { button, field, keepFocus } from "./room_orders.js";
import { askLayout } from "./room_layout.js";
import { clock, minutes } from "./times.js";
import { fill, language, own } from "./words.js";

/** @typedef {Record<string, any>} Shift */

export class Rota {
  /**
   * @param {import("./room_orders.js").Orders} orders
   * @param {() => number} now The floor's clock.
   * @param {() => boolean} mayOrder
   * @param {Record<string, string[]>} pits Tables by pit.
   */
  constructor(orders, now, mayOrder, pits) {
    this.orders = orders;
    this.now = now;
    this.mayOrder = mayOrder;
    this.pits = pits;
    this.drawn = "";
    /** @type {Record<string, any>} */
    this.picture = { tables: {}, shifts: [] };
  }

  start() {
    byId("lay").addEventListener("click", () =>
      askLayout(this.orders, { tables: this.tables(), pits: this.pits, dealers: [...new Set(this.picture.shifts.map((/** @type {Shift} */ one) => one.dealer))], now: this.now() }),
    );
  }

  /** @returns {string[]} T2 before T10. */
  tables() {
    return Object.keys(this.picture.tables).sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));
  }

  /** @param {Record<string, any>} picture */
  draw(picture) {
    this.picture = picture;
    const tables = this.tables();
    byId("lay").hidden = !this.mayOrder() || tables.length === 0;
    const isNone = picture.shifts.length === 0;
    byId("rota-none").hidden = !isNone;
    const drawn = JSON.stringify([picture.tables, picture.shifts, this.mayOrder(), language()]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      const place = byId("rota-groups");
      keepFocus(place, () => place.replaceChildren(...this.groups(tables).map(([pit, names]) => this.group(pit, names))));
      const dealers = [...picture.shifts.map((/** @type {Shift} */ one) => one.dealer), ...tables.map((table) => picture.tables[table].signed_in)];
      byId("dealers").replaceChildren(...[...new Set(dealers.filter(Boolean))].sort().map(option));
    }
    this.tick();
  }

  drawWords() {
    const words = { "rota-title": "rota", lay: "lay", "rota-none": "no_rota" };
    for (const [id, key] of Object.entries(words)) write(byId(id), own(`floor.room.${key}`));
  }

  /** @param {string[]} tables @returns {[string, string[]][]} */
  groups(tables) {
    /** @type {[string, string[]][]} */
    const found = Object.entries(this.pits).map(([pit, names]) => [pit, tables.filter((table) => names.includes(table))]);
    const placed = new Set(found.flatMap(([, names]) => names));
    found.push([placed.size > 0 ? own("floor.page.no_pit") : "", tables.filter((table) => !placed.has(table))]);
    return found.filter(([, names]) => names.length > 0);
  }

  /** @param {string} pit @param {string[]} tables @returns {HTMLElement} */
  group(pit, tables) {
    const group = make("div", "group");
    if (pit) group.append(make("h3", "", pit));
    group.append(make("ol", "shifts", ...tables.map((table) => this.row(table))));
    return group;
  }

  /** @param {string} table @returns {HTMLElement} */
  row(table) {
    const said = this.picture.tables[table];
    const item = make("li", said.other ? "turn other" : "turn");
    item.dataset.table = table;
    const link = /** @type {HTMLAnchorElement} */ (make("a", "number", table));
    link.href = `/tables/${encodeURIComponent(table)}`;
    link.setAttribute("aria-label", fill("floor.page.open", { table }));
    link.dataset.key = `${table} open`;
    const present = make("p", "present", make("span", "word", own("floor.room.deals")), make("b", "", said.now ?? "–"));
    const signed = make("p", "signed", signedIn(said));
    item.append(link, make("div", "who", present, signed), this.next(said));
    if (this.mayOrder() && this.shifts(table).length > 0) {
      item.append(button(own("floor.room.change"), "", () => this.change(table), fill("floor.room.change_at", { table }), `${table} change`));
    }
    return item;
  }

  /** @param {any} said @returns {HTMLElement} */
  next(said) {
    if (!said.next) return make("p", "next", make("span", "word", own("floor.room.next")), make("b", "", "–"));
    const box = make("p", "next", make("span", "word", own("floor.room.next")), make("b", "", said.next.dealer), ` ${fill("floor.room.at", { time: hour(said.next.at) })}`);
    if (said.soon) {
      const soon = make("span", "soon");
      soon.dataset.at = said.next.at;
      box.append(" ", soon);
    }
    return box;
  }

  /** @param {string} table @returns {Shift[]} */
  shifts(table) {
    return this.picture.shifts.filter((/** @type {Shift} */ one) => one.table === table);
  }

  /** @param {string} table */
  change(table) {
    const select = /** @type {HTMLSelectElement} */ (make("select"));
    select.name = "shift";
    for (const one of this.shifts(table)) {
      const choice = /** @type {HTMLOptionElement} */ (make("option", "", `${hour(one.starts)}–${hour(one.ends)} · ${one.dealer}`));
      choice.value = one.shift;
      select.append(choice);
    }
    const dealer = field("dealer", own("floor.room.other_dealer"));
    dealer.querySelector("input")?.setAttribute("list", "dealers");
    const send = (/** @type {FormData} */ given) => this.orders.give(`rota/${encodeURIComponent(String(given.get("shift")))}`, { dealer: String(given.get("dealer")).trim() });
    this.orders.ask({
      title: fill("floor.room.change_at", { table }),
      fields: [make("label", "field", make("span", "", own("floor.room.shift")), select), dealer],
      act: own("floor.room.change").replace("…", ""),
      send,
    });
  }

  /** Running times. */
  tick() {
    for (const one of /** @type {NodeListOf<HTMLElement>} */ (byId("rota-groups").querySelectorAll("[data-at]"))) {
      write(one, fill("floor.room.soon", { k: minutes(Date.parse(one.dataset.at ?? "") - this.now()) }));
    }
  }
}

/** @param {any} said @returns {string} Who is signed in, against the rota. */
function signedIn(said) {
  if (!said.signed_in) return own("floor.room.nobody_in");
  if (said.other) return fill("floor.room.other_in", { name: said.signed_in });
  const isPlanned = said.now !== null && said.now.toLocaleLowerCase() === said.signed_in.toLocaleLowerCase();
  return isPlanned ? own("floor.room.is_in") : fill("floor.room.in", { name: said.signed_in });
}

/** @param {string} name @returns {HTMLElement} */
function option(name) {
  const made = /** @type {HTMLOptionElement} */ (make("option"));
  made.value = name;
  return made;
}

/** @param {string | number} at @returns {string} `14:03`. */
export function hour(at) {
  return clock(at).slice(0, 5);
}
