/**
 * Who is at this page, as at the console: a badge, or a number and its PIN. Whoever has locked the page reads on and gives no
 * order; a page at which nobody ever signed in shows nothing. Beside it the settings of this browser.
 */

import { Door } from "./door.js";
import { byId, make, write } from "./elements.js";
import { get, post } from "./send.js";
import { language, otherLanguage, own, pick, setLanguage } from "./words.js";

const WHO_MS = 3000;
const THEMES = ["dark", "light"];
/** @type {[string, string][]} */
const WAYS = [
  ["floor.page.room", "/room"],
  ["history.page.hands", "/hands"],
  ["history.page.reports", "/reports"],
];

/** @typedef {Record<string, any>} Session */

export class Who {
  /** @param {Session} session @param {() => void} onChange Who is there, or a setting, is another. */
  constructor(session, onChange) {
    this.session = session;
    this.onChange = onChange;
    this.door = new Door();
    this.box = /** @type {HTMLDialogElement} */ (byId("me"));
    this.box.addEventListener("click", (event) => event.target === this.box && this.box.close());
  }

  start() {
    for (const id of ["me-open", "to-me"]) byId(id).addEventListener("click", () => this.open());
    byId("language").addEventListener("click", () => this.turn());
    this.draw();
    if (this.session.access !== "people") return;
    setInterval(() => this.look(), WHO_MS);
    if (!this.session.console) this.ask();
  }

  /** @returns {boolean} */
  get isOpen() {
    return this.door.isOpen || this.box.open;
  }

  /** @returns {boolean} Whether orders may be given here, by this person or by one who signs in for it. */
  get mayOrder() {
    if (!document.body.dataset.orders) return false;
    return this.session.may || (this.session.access === "people" && !this.session.person);
  }

  /** @returns {boolean} Whether a table may be asked from here what it shows to every role. */
  get mayAsk() {
    return Boolean(document.body.dataset.orders) && (this.session.access === "open" || Boolean(this.session.person));
  }

  /** @returns {Promise<boolean>} Whether somebody who may is there by now. */
  async ready() {
    if (this.session.access === "people" && !this.session.person) await this.ask();
    return this.session.may;
  }

  async ask() {
    if (this.door.isOpen) return;
    const blank = !this.session.console;
    const hint = this.session.locked ? own("ui.auth.locked") : "";
    const asked = { title: own("ui.auth.title"), hint, act: own("ui.act.signin"), path: "/api/session", body: {}, leave: !blank };
    const told = await this.door.ask(asked);
    if (blank) location.reload();
    else if (told) this.take(told);
  }

  /** @param {Session} told */
  take(told) {
    this.session = told;
    this.draw();
    this.onChange();
  }

  /** Somebody was signed out by time, or at the people file. */
  async look() {
    try {
      const response = await get("/api/session");
      const told = await response.json();
      if (!response.ok) return;
      if (this.session.console && !told.console) location.reload();
      else if (this.session.person?.name !== told.person?.name || this.session.may !== told.may) this.take(told);
    } catch {
      // The floor does not answer: the page says so by its age.
    }
  }

  /** @param {string} key @param {() => void} onPress @param {string} [look] */
  button(key, onPress, look = "btn") {
    const button = make("button", `act ${look}`, make("b", "", own(key)));
    button.setAttribute("type", "button");
    button.dataset.act = key;
    button.addEventListener("click", () => {
      this.box.close();
      onPress();
    });
    return button;
  }

  open() {
    const { access, person } = this.session;
    const head = make("h2", "", this.name() || own(access === "people" ? "floor.me.nobody" : "floor.me.open"));
    head.id = "me-title";
    const body = make("div", "body");
    if (access === "people" && person) {
      body.append(this.button("ui.act.lock", () => this.leave("POST", "/api/session/lock")), this.button("ui.act.signout", () => this.leave("DELETE", "/api/session")));
    } else if (access === "people") body.append(this.button("ui.act.signin", () => this.ask(), "pri"));
    for (const [key, path] of WAYS) body.append(this.button(key, () => location.assign(path)));
    body.append(this.button("floor.me.theme", turnTheme), this.button("floor.me.language", () => this.turn()));
    this.box.replaceChildren(head, body, make("div", "foot", this.button("ui.act.back", () => {}, "line")));
    this.box.showModal();
  }

  /** @param {string} method @param {string} path */
  async leave(method, path) {
    try {
      const response = method === "POST" ? await post(path, {}) : await fetch(path, { method });
      const told = await response.json();
      if (!told.console) location.reload();
      else this.take(told);
    } catch {
      this.look();
    }
  }

  /** @returns {string} `M. Roux · floor`; empty where nobody is signed in. */
  name() {
    const person = this.session.person;
    return person ? `${person.name} · ${own(`floor.role.${person.role}`)}` : "";
  }

  draw() {
    const locked = this.session.access === "people" && !this.session.person;
    write(byId("me-open"), this.name() || own(locked ? "floor.me.locked" : "floor.me"));
    write(byId("to-me"), [own(locked ? "floor.me.locked" : "floor.me"), this.session.person?.name].filter(Boolean).join(" · "));
    const button = byId("language");
    button.textContent = language().toUpperCase(); // the language that stands there, as at the console
    button.setAttribute("lang", otherLanguage());
    button.setAttribute("aria-label", otherLanguage() === "fr" ? "Français" : "English");
  }

  /** The other language, in place. */
  turn() {
    setLanguage(otherLanguage());
    localStorage.setItem("stud-table-language", language());
    this.draw();
    this.onChange();
  }
}

/** Language and theme as this browser had them last. */
export function asBefore() {
  setLanguage(localStorage.getItem("stud-table-language") ?? document.documentElement.lang);
  document.documentElement.dataset.theme = localStorage.getItem("stud-table-theme") ?? "dark";
}

function turnTheme() {
  const root = document.documentElement;
  root.dataset.theme = THEMES.find((theme) => theme !== root.dataset.theme) ?? "dark";
  localStorage.setItem("stud-table-theme", root.dataset.theme);
}

/** @param {any} refusal @returns {string} One sentence. */
export function refusedSaid(refusal) {
  return refusal ? pick({ en: refusal.message_en ?? refusal.message, fr: refusal.message_fr ?? refusal.message }) : "";
}
