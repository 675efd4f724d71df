/**
 * What a player opens over a seat's page: the pots with their seats, and the rules in force in words with their fingerprint. It
 * closes by itself: nobody may miss a turn behind it.
 */

import { own, pick } from "./words.js";

const OPEN_MS = 60_000;
const CLOSING = new Set(["turn", "bring_in", "hands_off", "stopped"]);

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} tag @param {string} text @returns {HTMLElement} */
function make(tag, text) {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

export class RulesSheet {
  /** @param {() => any} screen The picture that the page shows, or null. */
  constructor(screen) {
    this.screen = screen;
    this.dialog = /** @type {HTMLDialogElement} */ (byId("sheet"));
    /** @type {any} */
    this.rules = null;
    this.state = "";
    this.timer = 0;
    byId("rules-open").addEventListener("click", () => this.open());
    byId("sheet-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("close", () => clearTimeout(this.timer));
  }

  async open() {
    this.rules = await fetch("/api/v1/rules").then((answer) => (answer.ok ? answer.json() : null), () => null);
    this.state = this.screen()?.state ?? "";
    this.draw();
    if (!this.dialog.open) this.dialog.showModal();
    byId("sheet-text").scrollTop = 0;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.dialog.close(), OPEN_MS);
  }

  /** @param {boolean} stale The picture is new, or no longer live. */
  look(stale) {
    if (!this.dialog.open) return;
    const state = this.screen()?.state ?? "";
    if (stale || (state !== this.state && CLOSING.has(state))) this.dialog.close();
    else this.draw();
    this.state = state;
  }

  draw() {
    const screen = this.screen();
    const rules = this.rules;
    byId("sheet-title").textContent = rules ? pick(rules.title) : own("seat.rules.open");
    byId("sheet-close").textContent = own("seat.rules.close");
    const differ = Boolean(rules && screen?.fingerprint && screen.playing && rules.fingerprint !== screen.fingerprint);
    byId("sheet-differ").hidden = rules !== null && !differ;
    byId("sheet-differ").textContent = rules === null ? own("seat.rules.none") : differ ? own("seat.rules.differ") : "";
    const pots = (screen?.pots ?? []).map((/** @type {any} */ pot) => {
      return `${pick(pot.name)} ${pot.amount} · ${pick(pot.seats)}${pot.word ? ` · ${pick(pot.word)}` : ""}`;
    });
    const sections = pots.length > 0 ? [section(own("seat.pots"), pots)] : [];
    for (const part of rules?.sections ?? []) sections.push(section(pick(part.title), part.lines.map(pick)));
    byId("sheet-text").replaceChildren(...sections);
  }
}

/** @param {string} title @param {string[]} lines @returns {HTMLElement} */
function section(title, lines) {
  const element = document.createElement("section");
  const list = document.createElement("ul");
  list.append(...lines.map((line) => make("li", line)));
  element.append(make("h3", title), list);
  return element;
}
