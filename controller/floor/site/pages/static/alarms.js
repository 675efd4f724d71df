/** The alarms of the page: cards as they call, floods as one card, the shelf, and what is over (screens §9). */

import { Deeds } from "./deeds.js";
import { Horn } from "./horn.js";
import { byId, make, write } from "./elements.js";
import { badge, card, tick } from "./parts.js";
import { calls, title } from "./said.js";
import { clock } from "./times.js";
import { fill, language, own } from "./words.js";

/** The priority of what is only to know. */
const TO_KNOW = 3;

/**
 * @typedef {Record<string, any>} Alarm
 * @typedef {import("./who.js").Who} Who
 */

export class Alarms {
  /** @param {Who} who @param {() => number} now The floor's clock. @param {() => void} redraw */
  constructor(who, now, redraw) {
    this.who = who;
    this.now = now;
    this.redraw = redraw;
    this.deeds = new Deeds(who, redraw);
    this.horn = new Horn(redraw);
    this.drawn = "";
    /** @type {Set<string>} */
    this.spoken = new Set();
    /** @type {Set<string>} Floods that are open. */
    this.open = new Set();
  }

  start() {
    this.horn.start();
    this.deeds.start();
  }

  tick() {
    tick(byId("alarm-list"), this.now());
  }

  /** @param {Record<string, any>} picture */
  draw(picture) {
    const shown = (/** @type {string} */ id) => picture.alarms[id];
    const called = picture.alarm_order.map(shown).filter((/** @type {Alarm} */ alarm) => calls(alarm));
    const over = picture.cleared ?? [];
    const unseen = over.filter((/** @type {Alarm} */ alarm) => alarm.acknowledged_by === null);
    const shelved = (picture.shelved ?? []).map(shown);
    const folds = picture.alarm_folds ?? [];
    const drawn = JSON.stringify([called, over, shelved, folds, [...this.open], this.deeds.state, this.horn.state, this.who.session, this.who.mayOrder, language()]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.lay(called, unseen, folds);
      this.layShelf(shelved);
      this.layOver(over.filter((/** @type {Alarm} */ alarm) => alarm.acknowledged_by !== null));
      this.speak(called);
      this.drawWords(called, unseen, shelved, picture);
    }
    this.horn.hear(called);
  }

  /** @param {Alarm[]} called @param {Alarm[]} unseen @param {Alarm[]} shelved @param {Record<string, any>} picture */
  drawWords(called, unseen, shelved, picture) {
    const counts = [];
    if (called.length > 0) counts.push(fill("floor.page.active", { k: called.length }));
    if (unseen.length > 0) counts.push(fill("floor.page.unseen", { k: picture.unseen ?? unseen.length }));
    if (shelved.length > 0) counts.push(fill("floor.page.shelved", { k: shelved.length }));
    write(byId("alarms-count"), counts.join(" · "));
    const live = Object.values(picture.tables).filter((tile) => tile.liveness === "online").length;
    byId("alarms-none").hidden = called.length + unseen.length > 0;
    write(byId("alarms-none"), fill("floor.page.none", { k: live }));
    const asking = [...called, ...unseen];
    const bottom = asking[0] ? [make("b", `count p${asking[0].priority}`, String(asking.length))] : [];
    byId("to-alarms").replaceChildren(own("floor.page.alarms"), ...bottom);
    this.horn.drawWords();
  }

  /** @param {Alarm[]} called @param {Alarm[]} unseen @param {any[]} folds */
  lay(called, unseen, folds) {
    const list = byId("alarm-list");
    const held = holdFocus(list);
    this.deeds.laid([called.map((alarm) => alarm.id), folds, [...this.open]]);
    const fold = new Map(folds.flatMap((/** @type {any} */ one) => one.ids.map((/** @type {string} */ id) => [id, one])));
    const laid = new Set();
    const items = called.flatMap((alarm) => {
      const one = fold.get(alarm.id);
      if (!one) return [this.card(alarm)];
      if (laid.has(one)) return [];
      laid.add(one);
      return [this.flood(one, called.filter((other) => one.ids.includes(other.id)))];
    });
    list.replaceChildren(...items, ...this.past(unseen));
    giveFocus(list, held);
  }

  /** @param {Alarm[]} unseen @returns {HTMLElement[]} What is over and nobody has seen: of what was only to know, one card a kind. */
  past(unseen) {
    const kinds = new Map();
    for (const alarm of unseen) {
      const kind = alarm.priority === TO_KNOW ? alarm.code : alarm.id;
      kinds.set(kind, [...(kinds.get(kind) ?? []), alarm]);
    }
    const flood = (/** @type {Alarm[]} */ some) => this.flood({ kind: "over", name: some[0]?.code, priority: TO_KNOW }, some);
    return [...kinds.values()].map((some) => (some.length > 1 ? flood(some) : this.card(some[0])));
  }

  /** @param {Alarm} alarm @returns {HTMLElement} */
  card(alarm) {
    const { deeds } = this;
    const rules = this.who.mayOrder && alarm.cleared_at === null;
    return card(alarm, this.now(), { opens: true, rules, deeds: deeds.of(alarm), note: deeds.note(alarm) });
  }

  /** @param {any} one @param {Alarm[]} some @returns {HTMLElement} One card for many, which opens. */
  flood(one, some) {
    const key = `${one.kind}/${one.name}`;
    const isOpen = this.open.has(key);
    const item = make("li", `alarm flood p${one.priority}${one.kind === "over" ? " over" : ""}`);
    const head = make("div", "head");
    const names = make("div", "names");
    const tables = new Set(some.map((alarm) => alarm.table)).size;
    const [what, where] =
      one.kind === "table"
        ? [fill("floor.say.table", { table: one.name }), fill("floor.flood.table", { k: some.length })]
        : [title(one.name), fill(`floor.flood.${one.kind}`, { k: some.length, n: tables })];
    names.append(make("h3", "", what), make("p", "what", where));
    head.append(badge(one.priority, some.some((alarm) => alarm.acknowledged_by === null)), names);
    const button = make("button", "open", own(isOpen ? "floor.flood.close" : "floor.flood.open"));
    button.setAttribute("type", "button");
    button.setAttribute("aria-expanded", String(isOpen));
    button.dataset.deed = `flood ${key}`;
    button.addEventListener("click", () => {
      if (!this.open.delete(key)) this.open.add(key);
      this.redraw();
    });
    item.append(head, make("div", "links", button));
    if (isOpen) item.append(make("ol", "inside", ...some.map((alarm) => this.card(alarm))));
    return item;
  }

  /** @param {Alarm[]} shelved */
  layShelf(shelved) {
    const box = byId("shelf");
    const held = holdFocus(box);
    box.hidden = shelved.length === 0;
    write(byId("shelf-title"), own("floor.shelf.title"));
    write(byId("shelf-sub"), own("floor.shelf.sub"));
    byId("shelf-list").replaceChildren(
      ...shelved.map((alarm) => {
        const said = make("p", "", fill("floor.shelf.said", { what: title(alarm.code), name: alarm.shelved.by, reason: alarm.shelved.reason }));
        const until = make("span", "till", fill("floor.shelf.till", { time: clock(alarm.shelved.until).slice(0, 5) }));
        const row = make("li", "", make("b", "", where(alarm)), said, until, ...this.deeds.offShelf(alarm));
        const note = this.deeds.note(alarm);
        if (note) row.append(make("p", "note", note));
        return row;
      }),
    );
    giveFocus(box, held);
  }

  /** @param {Alarm[]} over */
  layOver(over) {
    byId("over").hidden = over.length === 0;
    write(byId("over-title"), own("floor.over.title"));
    byId("over-list").replaceChildren(
      ...over.map((alarm) => {
        const ended = alarm.cleared_by ? fill("floor.over.by", { name: alarm.cleared_by }) : own("floor.over.itself");
        const said = make("p", "", `${title(alarm.code)} · ${ended} · ${fill("floor.page.acked", { name: alarm.acknowledged_by })}`);
        return make("li", "", make("b", "", where(alarm)), said, make("span", "till", clock(alarm.cleared_at).slice(0, 5)));
      }),
    );
  }

  /** @param {Alarm[]} called Say what calls for the first time and stops play, and what comes off the shelf. */
  speak(called) {
    const named = (/** @type {Alarm} */ alarm) => `${alarm.id} ${alarm.raised_at} ${alarm.shelf_ended_at ?? ""}`;
    const fresh = called.filter((alarm) => (alarm.priority === 1 || alarm.shelf_ended_at) && !this.spoken.has(named(alarm)));
    this.spoken = new Set(called.map(named));
    if (fresh.length === 0) return;
    const said = fresh.map((alarm) => [alarm.table ? fill("floor.say.table", { table: alarm.table }) : "", title(alarm.code), alarm.shelf_ended_at ? own("floor.shelf.ended") : ""].filter(Boolean).join(", "));
    write(byId("spoken"), `${said.join(". ")}.`);
  }
}

/** @param {Alarm} alarm @returns {string} */
function where(alarm) {
  return alarm.table ?? own("floor.page.all_tables");
}

/** @param {HTMLElement} within @returns {string} Which button of which card has the focus; empty for none. */
function holdFocus(within) {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement) || !within.contains(at)) return "";
  return JSON.stringify([at.closest("li")?.getAttribute("data-alarm") ?? null, at.dataset.deed ?? at.getAttribute("href")]);
}

/** @param {HTMLElement} within @param {string} held */
function giveFocus(within, held) {
  if (!held) return;
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (within.querySelectorAll("button, a"))) {
    const named = JSON.stringify([button.closest("li")?.getAttribute("data-alarm") ?? null, button.dataset.deed ?? button.getAttribute("href")]);
    if (named === held) button.focus({ preventScroll: true });
  }
}
