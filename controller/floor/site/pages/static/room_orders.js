/** Orders to the room: each in the name of a person, asked for in a dialog where something is still to be said. */

import { byId, make } from "./elements.js";
import { giveName, nameGiven } from "./named.js";
import { post } from "./send.js";
import { refusedSaid } from "./who.js";
import { fill, own } from "./words.js";

const NAME_MOST = 64;

/**
 * @typedef {object} Asked
 * @property {string} title
 * @property {string} [hint]
 * @property {HTMLElement[]} [fields]
 * @property {string} act What the button says.
 * @property {(given: FormData) => Promise<string>} send Gives the order; the sentence of a refusal, or nothing.
 */

export class Orders {
  /** @param {import("./who.js").Who} who @param {() => void} onDone Something was ordered: the lists are others. */
  constructor(who, onDone) {
    this.who = who;
    this.onDone = onDone;
    this.box = /** @type {HTMLDialogElement} */ (byId("ask"));
  }

  /** @returns {boolean} */
  get isOpen() {
    return this.box.open;
  }

  /** @returns {boolean} Whether somebody still has to say who orders. */
  get isNameless() {
    return this.who.session.access === "open" && !nameGiven();
  }

  close() {
    if (this.box.open) this.box.close();
  }

  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<string>} One sentence why not; empty when it is done.
   */
  async give(path, body) {
    if (!(await this.who.ready())) return own(this.who.session.person ? "floor.room.may_not" : "floor.me.nobody");
    const by = this.who.session.access === "open" ? { by: giveName(nameGiven()) } : {};
    try {
      const response = await post(`/api/room/${path}`, { ...body, ...by });
      const told = await response.json();
      if (told.refusal?.code === "sign_in_first") this.who.look();
      this.onDone();
      return told.ok ? "" : refusedSaid(told.refusal) || own("floor.deed.no_answer");
    } catch {
      return own("floor.deed.no_answer");
    }
  }

  /** Straight away, or behind the question who orders. @param {Asked} asked @param {(why: string) => void} onWhy */
  async now(asked, onWhy) {
    if (this.isNameless) this.ask(asked);
    else onWhy(await asked.send(new FormData()));
  }

  /** @param {Asked} asked */
  ask({ title, hint = "", fields = [], act, send }) {
    const head = make("h2", "", title);
    head.id = "ask-title";
    const body = make("div", "body", ...fields);
    if (this.who.session.access === "open") body.append(field("by", own("floor.deed.name"), nameGiven()));
    const why = make("p", "error");
    why.setAttribute("role", "alert");
    const back = /** @type {HTMLButtonElement} */ (make("button", "act line", make("b", "", own("ui.act.back"))));
    back.type = "button";
    back.addEventListener("click", () => this.close());
    const done = /** @type {HTMLButtonElement} */ (make("button", "act pri", make("b", "", act)));
    done.type = "submit";
    const form = /** @type {HTMLFormElement} */ (make("form", "", head));
    if (hint) form.append(make("p", "hint", hint));
    form.append(body, why, make("div", "foot", back, make("span", "space"), done));
    form.noValidate = true;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (done.disabled) return;
      const missing = /** @type {HTMLInputElement | undefined} */ ([...form.querySelectorAll("[required]")].find((one) => !(/** @type {HTMLInputElement} */ (one).value.trim())));
      if (missing) {
        why.textContent = fill("floor.room.due", { what: missing.closest("label")?.querySelector("span")?.textContent ?? "" });
        missing.focus();
        return;
      }
      const given = new FormData(form);
      const name = String(given.get("by") ?? "").trim();
      giveName(name);
      done.disabled = true;
      const said = await send(given);
      done.disabled = false;
      why.textContent = said;
      if (!said && form.isConnected) this.close();
    });
    this.box.replaceChildren(form);
    if (!this.box.open) this.box.showModal();
    /** @type {HTMLElement | null} */ (this.box.querySelector("input:not([type=checkbox]), textarea, select") ?? done)?.focus();
  }
}

/**
 * @param {string} name
 * @param {string} words
 * @param {string} [value]
 * @param {number} [most]
 * @returns {HTMLElement} A line to type into, which may not stay empty.
 */
export function field(name, words, value = "", most = NAME_MOST) {
  const input = /** @type {HTMLInputElement} */ (make("input"));
  input.type = "text";
  input.name = name;
  input.required = true;
  input.maxLength = most;
  input.autocomplete = "off";
  input.spellcheck = false;
  input.value = value;
  return make("label", "field", make("span", "", words), input);
}

/** @param {string} words @param {string} look @param {() => void} onPress @param {string} say What it does, for who does not see it. @param {string} key Keeps the focus. */
export function button(words, look, onPress, say, key) {
  const made = make("button", `go ${look}`, words);
  made.setAttribute("type", "button");
  made.setAttribute("aria-label", say);
  made.dataset.key = key;
  made.addEventListener("click", onPress);
  return made;
}

/** Draw anew, and leave the focus where it was. @param {HTMLElement} place @param {() => void} draw */
export function keepFocus(place, draw) {
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && place.contains(focused) ? focused.dataset.key : undefined;
  draw();
  if (key === undefined) return;
  const again = [...place.querySelectorAll("[data-key]")].find((one) => one instanceof HTMLElement && one.dataset.key === key);
  const next = again ?? place.closest("section");
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}
