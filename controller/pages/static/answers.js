/** The answers to a form: what the table knew, what was touched, what was keyed, and the command that they make. */

import { make } from "./elements.js";
import { own, pick } from "./words.js";

const PICKS_MOST = 9;

/**
 * @typedef {object} Taken What becomes of a touch beside the preview.
 * @property {() => void} changed
 * @property {(asks: any[]) => void} asks
 * @property {(spec: string) => void} opens
 */

export class Answers {
  /** @param {any} form */
  constructor(form) {
    this.form = form;
    /** @type {Map<string, any>} */
    this.given = new Map();
  }

  /** @returns {any[]} What stands beside the preview: what was asked, where its answers are few, and what the table answered. */
  get beside() {
    const asked = this.form.fields.filter((/** @type {any} */ field) => field.type === "choice" && field.choices.length <= PICKS_MOST);
    return this.form.inside || this.form.options.length ? [...asked, ...this.form.options] : [];
  }

  /** @returns {boolean} Whether a face was keyed: what would become of it is not told before. */
  get namesFace() {
    return this.form.options.some((/** @type {any} */ field) => field.type === "card" && this.given.get(field.path));
  }

  /** @param {any} field @returns {any} The answer of now; what was keyed behind a choice as one; `null` for none. */
  of(field) {
    if (this.given.has(field.path)) return this.given.get(field.path);
    const keyed = asksOf(field).filter((asked) => this.given.has(asked.path));
    if (keyed.length) return Object.fromEntries(keyed.map((asked) => [asked.path, this.given.get(asked.path)]));
    return field.value ?? null;
  }

  /** @param {any} field */
  forget(field) {
    this.given.delete(field.path);
    for (const asked of asksOf(field)) this.given.delete(asked.path);
  }

  /** @param {boolean} byFloor @returns {any} The command. */
  command(byFloor) {
    const form = this.form;
    const command = structuredClone(form.command);
    const target = form.inside ? command[form.inside] : command;
    for (const [path, value] of this.given) {
      if (path === "by" || path === "agreed_by") command[path] = value;
      else if (path === "cards" && command.type === "confirm_cards") command.cards[0].card = value[0];
      else if (value !== null && typeof value === "object" && !Array.isArray(value)) Object.assign(target, value);
      else if (value !== null && path !== "words") target[path] = value;
    }
    const words = this.given.get("words");
    if (words) command.reason = command.reason ? `${command.reason}: ${words}` : words;
    if (byFloor && form.inside) command.role = "floor";
    return command;
  }

  /** @returns {string} What is answered and does not stand beside the preview. */
  text() {
    const beside = this.beside;
    const told = this.form.known.map((/** @type {any} */ text) => pick(text));
    for (const field of this.form.fields) {
      const chosen = beside.includes(field) ? null : chosenOf(field, this.of(field));
      if (chosen) told.push(pick(chosen.text));
    }
    return told.join(" · ");
  }

  /** @param {any} field @param {Taken} taken @returns {HTMLElement} A question with its answers, to be changed by a touch. */
  draw(field, taken) {
    const box = make("div", "picks");
    const now = this.of(field);
    const chosen = chosenOf(field, now);
    for (const choice of field.choices ?? []) {
      const isOne = field.type === "choices" ? now.includes(choice.value) : choice === chosen;
      const isKeyed = choice.asks !== undefined && !chosen && now !== null;
      box.append(pickButton(pick(choice.text), isOne || isKeyed, valueText(choice.value), () => this.take(field, choice, taken)));
    }
    if (!field.choices) {
      const words = field.type === "card" ? own("ui.act.key") : now || own("ui.ask.words.add");
      box.append(pickButton(words, Boolean(now), field.path, () => taken.asks([field])));
    }
    const group = make("div", "ask", make("p", "hint", pick(field.label)), box);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", pick(field.label));
    return group;
  }

  /** @param {any} field @param {any} choice @param {Taken} taken */
  take(field, choice, taken) {
    if (choice.opens) taken.opens(choice.opens);
    else if (choice.asks) taken.asks(choice.asks);
    else if (field.type === "choices") {
      const kept = new Set(this.of(field));
      if (!kept.delete(choice.value)) kept.add(choice.value);
      if (kept.size) this.given.set(field.path, [...kept].sort()); // the last one stays
      taken.changed();
    } else {
      this.forget(field);
      this.given.set(field.path, choice.value);
      taken.changed();
    }
  }
}

/**
 * @param {string} words @param {boolean} isChosen @param {string} value @param {() => void} onPress
 * @returns {HTMLElement}
 */
function pickButton(words, isChosen, value, onPress) {
  const button = make("button", "pick", words);
  button.dataset.value = value;
  button.setAttribute("aria-pressed", String(isChosen));
  button.addEventListener("click", onPress);
  return button;
}

/** @param {any} field @param {any} value @returns {any} The choice that `value` is; `undefined` for none. */
function chosenOf(field, value) {
  return field.choices?.find((/** @type {any} */ one) => !one.asks && valueText(one.value) === valueText(value));
}

/** @param {any} value @returns {string} */
export function valueText(value) {
  return value !== null && typeof value === "object" ? Object.values(value).join("-") : String(value);
}

/** @param {any} field @returns {any[]} What any of its choices asks behind itself. */
function asksOf(field) {
  return (field.choices ?? []).flatMap((/** @type {any} */ choice) => choice.asks ?? []);
}
