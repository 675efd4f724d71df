/** Who is there: a badge, or a number and its PIN. Nothing that is typed here is kept, shown or sent anywhere else. */

import { byId, make } from "./elements.js";
import { post } from "./send.js";
import { pad } from "./sheets.js";
import { own, pick } from "./words.js";

const NUMBER = /^[1-9][0-9]{0,4}$/;

/**
 * @typedef {object} Asked
 * @property {string} title
 * @property {string} hint
 * @property {string} [label] What is asked first, where it is not just who is there.
 * @property {HTMLElement} [beside] What there is to read beside the question.
 * @property {string} act What the button says.
 * @property {string} path Where the proof goes.
 * @property {object} body What goes with it.
 * @property {boolean} leave Whether it may be left without an answer.
 * @property {Elsewhere} [elsewhere] How somebody at another page is asked.
 *
 * @typedef {object} Elsewhere
 * @property {string} act What the button says.
 * @property {string} waits What is said meanwhile.
 * @property {string} nobody What is said when nobody answered.
 * @property {(isWanted: () => boolean) => Promise<any>} ask The answer; `null` for none.
 */

export class Door {
  constructor() {
    this.box = /** @type {HTMLDialogElement} */ (byId("door"));
    /** @type {((answer: any) => void) | null} */
    this.done = null;
    this.leave = false;
    this.proving = false;
    this.box.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (this.leave) this.close(null);
    });
    this.box.addEventListener("close", () => this.stay());
  }

  /** @returns {boolean} */
  get isOpen() {
    return this.box.open;
  }

  /**
   * @param {Asked} asked
   * @returns {Promise<any>} The answer of whoever proved who they are; `null` when it was left.
   */
  ask(asked) {
    this.leave = asked.leave;
    if (!this.box.open) this.box.showModal();
    this.first(asked, "");
    return new Promise((resolve) => {
      this.done = resolve;
    });
  }

  /** A browser closes on a second Escape without asking: a door that may not be left stands there again. */
  stay() {
    if (this.box.open || !this.done) return;
    if (this.leave) this.close(null);
    else {
      this.box.showModal();
      this.box.querySelector("input")?.focus();
    }
  }

  /** @param {any} answer */
  close(answer) {
    const done = this.done;
    this.done = null;
    if (this.box.open) this.box.close();
    this.box.replaceChildren();
    done?.(answer);
  }

  /** Somebody at another page is asked; whoever is here may come first, by going back. @param {Asked} asked @param {Elsewhere} elsewhere */
  async wait(asked, elsewhere) {
    const head = make("h2", "", asked.title);
    head.id = "door-title";
    const told = make("p", "hint", elsewhere.waits);
    told.setAttribute("role", "status");
    const back = make("button", "act line", make("b", "", own("ui.act.back")));
    back.setAttribute("type", "button");
    back.addEventListener("click", () => this.first(asked, ""));
    const body = make("div", "body", ...(asked.beside ? [asked.beside] : []));
    this.box.replaceChildren(head, told, body, make("div", "foot", back));
    back.focus();
    let answer = null;
    try {
      answer = await elsewhere.ask(() => told.isConnected);
    } catch {
      // The floor does not answer: nobody agreed.
    }
    if (!told.isConnected) return;
    if (answer) this.close(answer);
    else this.first(asked, elsewhere.nobody);
  }

  /** @param {Asked} asked @param {string} error */
  first(asked, error) {
    this.draw(asked, asked.label ?? own("ui.auth.first"), "text", error, (typed) => {
      if (NUMBER.test(typed)) this.second(asked, typed);
      else this.prove(asked, { badge: typed });
    });
  }

  /** @param {Asked} asked @param {string} number */
  second(asked, number) {
    this.draw(asked, own("ui.auth.pin", number), "password", "", (pin) => this.prove(asked, { number, pin }));
  }

  /** @param {Asked} asked @param {object} proof */
  async prove(asked, proof) {
    if (this.proving) return; // a reader that ends with two line ends tried once
    this.proving = true;
    try {
      const response = await post(asked.path, { ...asked.body, ...proof });
      const answer = await response.json();
      if (response.ok) this.close(answer);
      else this.first(asked, pick({ en: answer.refusal.message_en ?? answer.refusal.message, fr: answer.refusal.message_fr ?? answer.refusal.message }));
    } catch {
      this.first(asked, own("ui.auth.away"));
    } finally {
      this.proving = false;
    }
  }

  /**
   * @param {Asked} asked
   * @param {string} label
   * @param {string} type
   * @param {string} error
   * @param {(typed: string) => void} onGiven
   */
  draw(asked, label, type, error, onGiven) {
    const head = make("h2", "", asked.title);
    head.id = "door-title";
    const input = document.createElement("input");
    input.type = type;
    input.autocomplete = "off";
    input.maxLength = 64;
    input.setAttribute("aria-label", label);
    const give = () => input.value.trim() && onGiven(input.value.trim());
    input.addEventListener("keydown", (event) => event.key === "Enter" && give());
    const go = make("button", "act pri", make("b", "", asked.act));
    go.setAttribute("type", "button");
    go.addEventListener("click", give);
    const foot = make("div", "foot");
    if (asked.leave) {
      const back = make("button", "act line", make("b", "", own("ui.act.back")));
      back.setAttribute("type", "button");
      back.addEventListener("click", () => this.close(null));
      foot.append(back);
    }
    foot.append(make("span", "space"));
    const { elsewhere } = asked;
    if (elsewhere) {
      const other = make("button", "act btn", make("b", "", elsewhere.act));
      other.id = "door-elsewhere";
      other.setAttribute("type", "button");
      other.addEventListener("click", () => this.wait(asked, elsewhere));
      foot.append(other);
    }
    foot.append(go);
    const question = make("div", "", input, pad(input));
    if (asked.beside) asked.beside.tabIndex = 0;
    const body = asked.beside ? make("div", "body beside", asked.beside, question) : make("div", "body", question);
    if (error) {
      const told = make("p", "error", error);
      told.setAttribute("role", "alert");
      question.append(told);
    }
    const hints = [make("p", "hint", label)];
    if (asked.hint) hints.unshift(make("p", "hint", asked.hint));
    this.box.replaceChildren(head, ...hints, body, foot);
    input.focus();
  }
}
