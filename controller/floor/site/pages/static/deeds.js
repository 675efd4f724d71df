/** What a person does about an alarm: acknowledge, shelve, take off the shelf, end. Each names the alarm as it was looked at. */

import { byId, make } from "./elements.js";
import { giveName, nameGiven } from "./named.js";
import { post } from "./send.js";
import { title } from "./said.js";
import { refusedSaid } from "./who.js";
import { fill, own } from "./words.js";

const MINUTES = [15, 30];
const NAME_MOST = 64;
const REASON_MOST = 200;
const NOTE_MS = 8000;
/** How long after the cards have changed places none takes a touch: it was meant for what lay there before. */
const SETTLE_MS = 400;
/** Alarms whose end nothing tells: a named person ends them. */
const ENDED = ["copy_differs", "copy_ahead", "copy_hole"];

/** @typedef {Record<string, any>} Alarm */

export class Deeds {
  /** @param {import("./who.js").Who} who @param {() => void} redraw */
  constructor(who, redraw) {
    this.who = who;
    this.redraw = redraw;
    this.box = /** @type {HTMLDialogElement} */ (byId("deed"));
    /** @type {Map<string, string>} What was said to a press, by alarm. */
    this.notes = new Map();
    /** @type {Set<string>} Presses that wait for their answer. */
    this.sent = new Set();
    this.order = "";
    this.moved = -Infinity;
  }

  start() {
    this.box.addEventListener("click", (event) => event.target === this.box && this.box.close());
  }

  /** @returns {unknown} What of this is on the cards. */
  get state() {
    return [[...this.notes], [...this.sent]];
  }

  /** @param {unknown} order In which the cards lie now. */
  laid(order) {
    const now = JSON.stringify(order);
    if (now !== this.order) this.moved = performance.now();
    this.order = now;
  }

  /** @param {Alarm} alarm @returns {boolean} Whether whoever is here, or signs in for it, may take that alarm (screens §11). */
  mayTake(alarm) {
    const { access, person } = this.who.session;
    if (access === "open" || !person) return access === "open" || access === "people";
    return person.role === "floor" || (person.role === "engineer" && alarm.device !== null);
  }

  /** @param {Alarm} alarm @returns {HTMLElement[]} At most one at a time, so that no other control lies beside it. */
  of(alarm) {
    if (!this.mayTake(alarm)) return [];
    if (alarm.acknowledged_by === null) return [this.settled("acknowledge", "floor.deed.acknowledge", alarm, "pri", () => this.acknowledge(alarm))];
    if (alarm.cleared_at !== null) return [];
    if (ENDED.includes(alarm.code)) return [this.settled("clear", "floor.deed.clear", alarm, "", () => this.askClear(alarm))];
    if (alarm.priority === 1) return [];
    return [this.settled("shelve", "floor.deed.shelve", alarm, "", () => this.askShelf(alarm))];
  }

  /** @param {Alarm} alarm @returns {HTMLElement[]} */
  offShelf(alarm) {
    return this.mayTake(alarm) ? [this.button("unshelve", "floor.deed.unshelve", alarm, "", () => this.send("unshelve", alarm, {}))] : [];
  }

  /** @param {string} deed @param {string} key @param {Alarm} alarm @param {string} look @param {() => void} onPress One that takes no touch while the cards are moving. */
  settled(deed, key, alarm, look, onPress) {
    return this.button(deed, key, alarm, look, () => {
      if (performance.now() - this.moved >= SETTLE_MS) onPress();
      else this.say(alarm, own("floor.deed.moved"));
    });
  }

  /** @param {string} deed @param {string} key @param {Alarm} alarm @param {string} look @param {() => void} onPress */
  button(deed, key, alarm, look, onPress) {
    const button = /** @type {HTMLButtonElement} */ (make("button", `deed ${look}`, own(key)));
    button.type = "button";
    button.dataset.deed = deed;
    button.disabled = this.sent.has(named(alarm));
    button.setAttribute("aria-label", `${own(key)}: ${said(alarm)}`);
    button.addEventListener("click", onPress);
    return button;
  }

  /** @param {Alarm} alarm @returns {string} What was said to the last press. */
  note(alarm) {
    return this.notes.get(named(alarm)) ?? "";
  }

  /** @param {Alarm} alarm @param {string} words */
  say(alarm, words) {
    const key = named(alarm);
    this.notes.set(key, words);
    byId("spoken").textContent = words;
    setTimeout(() => {
      if (this.notes.get(key) === words) this.notes.delete(key);
      this.redraw();
    }, NOTE_MS);
    this.redraw();
  }

  /** @param {Alarm} alarm */
  acknowledge(alarm) {
    if (this.who.session.access === "open" && !nameGiven()) {
      this.ask(alarm, own("floor.deed.acknowledge"), [], () => this.send("acknowledge", alarm, {}));
    } else this.send("acknowledge", alarm, {});
  }

  /** @param {Alarm} alarm */
  askShelf(alarm) {
    const group = make("div", "picks");
    group.setAttribute("role", "radiogroup");
    group.setAttribute("aria-label", own("floor.deed.minutes"));
    for (const minutes of MINUTES) {
      const pick = /** @type {HTMLInputElement} */ (make("input"));
      pick.type = "radio";
      pick.name = "minutes";
      pick.value = String(minutes);
      pick.checked = minutes === MINUTES[0];
      group.append(make("label", "choice", pick, make("b", "", fill("floor.minutes", { k: minutes }))));
    }
    const reason = field("reason", "floor.deed.reason", REASON_MOST);
    this.ask(alarm, own("floor.deed.shelve"), [group, reason], (given) =>
      this.send("shelve", alarm, { minutes: Number(given.get("minutes")), reason: String(given.get("reason")) }),
    );
  }

  /** @param {Alarm} alarm */
  askClear(alarm) {
    const reason = field("reason", "floor.deed.reason.clear", REASON_MOST);
    this.ask(alarm, own("floor.deed.clear"), [reason], (given) => this.send("clear", alarm, { reason: String(given.get("reason")) }));
  }

  /** @param {Alarm} alarm @param {string} act @param {HTMLElement[]} fields @param {(given: FormData) => void} then */
  ask(alarm, act, fields, then) {
    const head = make("h2", "", act.replace("…", ""));
    head.id = "deed-title";
    const form = /** @type {HTMLFormElement} */ (make("form", "", head, make("p", "hint", said(alarm))));
    const body = make("div", "body", ...fields);
    if (this.who.session.access === "open") body.append(field("by", "floor.deed.name", NAME_MOST, nameGiven()));
    const back = /** @type {HTMLButtonElement} */ (make("button", "act line", make("b", "", own("ui.act.back"))));
    back.type = "button";
    back.addEventListener("click", () => this.box.close());
    const done = /** @type {HTMLButtonElement} */ (make("button", "act pri", make("b", "", act.replace("…", ""))));
    done.type = "submit";
    form.append(body, make("div", "foot", back, make("span", "space"), done));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const given = new FormData(form);
      const name = String(given.get("by") ?? "").trim();
      giveName(name);
      this.box.close();
      then(given);
    });
    this.box.replaceChildren(form);
    this.box.showModal();
    /** @type {HTMLElement | null} */ (this.box.querySelector("input[type=text]"))?.focus();
  }

  /** @param {string} what @param {Alarm} alarm @param {object} more */
  async send(what, alarm, more) {
    const key = named(alarm);
    if (this.sent.has(key)) return;
    if (this.who.session.access === "people" && !this.who.session.person) await this.who.ask();
    const by = this.who.session.access === "open" ? { by: giveName(nameGiven()) } : {};
    this.sent.add(key);
    this.notes.delete(key);
    this.redraw();
    let words = "";
    try {
      const response = await post(`/api/alarms/${what}`, { id: alarm.id, raised_at: alarm.raised_at, ...by, ...more });
      const told = await response.json();
      if (!told.ok) words = refusedSaid(told.refusal);
      else if (!told.stored) words = own("floor.deed.not_stored");
      else if (told.table_told === false) words = own("floor.deed.not_told");
    } catch {
      words = own("floor.deed.no_answer");
    }
    this.sent.delete(key);
    if (words) this.say(alarm, words);
    else this.redraw();
  }
}

/** @param {string} name @param {string} key @param {number} most @param {string} [value] @returns {HTMLElement} */
function field(name, key, most, value = "") {
  const input = /** @type {HTMLInputElement} */ (make("input"));
  input.type = "text";
  input.name = name;
  input.required = true;
  input.maxLength = most;
  input.pattern = ".*\\S.*";
  input.autocomplete = "off";
  input.value = value;
  return make("label", "field", make("span", "", own(key)), input);
}

/** @param {Alarm} alarm @returns {string} */
function named(alarm) {
  return `${alarm.id} ${alarm.raised_at}`;
}

/** @param {Alarm} alarm @returns {string} */
function said(alarm) {
  return [alarm.table ? fill("floor.say.table", { table: alarm.table }) : own("floor.page.all_tables"), title(alarm.code)].join(", ");
}
