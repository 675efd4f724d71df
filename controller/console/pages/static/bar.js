/**
 * The action bar: six places, a button only where something is legal. A press counts on release inside the button that it began
 * on, as long as that button still means the same; after one is taken, all are deaf for a moment (screens §3).
 */

import { byId, make } from "./elements.js";
import { own, pick } from "./words.js";

export const PLACES = ["undo", "fold", "main", "raise", "all", "problem"];
const DEAF_MS = 300;
const DEAF = "deaf";
const HOLD_MS = 600;
const ARMED_MS = 4000;
const MANY = 11;
const FEW = 9;

/**
 * @typedef {object} Button
 * @property {Record<string, string>} text
 * @property {Record<string, string> | null} sub
 * @property {string} look
 * @property {string[]} keys
 * @property {boolean} hold
 * @property {{ command: object, decision: string | null }[]} commands
 * @property {string | null} opens
 */

export class Bar {
  /**
   * @param {(button: Button) => Promise<void>} onPress
   * @param {() => void} onChanged The button changed its meaning under the finger.
   * @param {(note: string) => void} onNote What is still to be done for a button to act.
   */
  constructor(onPress, onChanged, onNote) {
    this.onPress = onPress;
    this.onChanged = onChanged;
    this.onNote = onNote;
    /** @type {Record<string, Button[]>} */
    this.buttons = {};
    this.deafUntil = 0;
    this.busy = false;
    this.began = "";
  }

  /**
   * @param {Record<string, Button[]> | null} buttons `null`: this console may not act now.
   * @param {string} note
   */
  draw(buttons, note) {
    this.buttons = buttons ?? {};
    for (const place of PLACES) {
      const box = byId(`place-${place}`);
      const wanted = this.buttons[place] ?? [];
      const meaning = JSON.stringify([wanted, pick({ en: "en", fr: "fr" })]);
      if (box.dataset.meaning === meaning) continue;
      const held = box.contains(document.activeElement) ? [...box.children].indexOf(/** @type {Element} */ (document.activeElement)) : -1;
      box.dataset.meaning = meaning;
      box.replaceChildren(...wanted.map((button) => this.make(button, place)));
      for (const made of box.children) fit(/** @type {HTMLElement} */ (made));
      if (held >= 0) /** @type {HTMLElement | undefined} */ (box.children[Math.min(held, wanted.length - 1)])?.focus();
    }
    const has = (/** @type {string} */ place) => (this.buttons[place] ?? []).length > 0;
    const bar = byId("bar");
    bar.classList.toggle("busy-left", has("undo") && !has("fold"));
    bar.classList.toggle("busy-raise", has("raise"));
    bar.classList.toggle("busy-main", has("main") || has("fold"));
    bar.classList.toggle("only-main", has("main") && PLACES.every((place) => place === "main" || !has(place)));
    byId("note").textContent = note;
  }

  /**
   * @param {Button} button
   * @param {string} place
   */
  make(button, place) {
    const words = pick(button.text);
    const longest = Math.max(...words.split(/[ \u00a0]/).map((word) => word.length));
    const small = words.length > MANY || longest > FEW ? " small" : "";
    const element = /** @type {HTMLButtonElement} */ (make("button", `act ${button.look}${small}`, ...glyph(place), make("b", "", words)));
    element.type = "button";
    if (button.sub) element.append(make("span", "sub", pick(button.sub)));
    const [key] = button.keys;
    if (key) element.append(make("kbd", "", key.replace("Control+", "Ctrl ").toUpperCase()));
    if (button.hold) element.append(make("span", "again", own("ui.act.again")), make("span", "ring"));
    element.dataset.place = place;
    const meaning = JSON.stringify(button.commands.length ? button.commands : button.opens);
    element.dataset.press = meaning;
    element.addEventListener("pointerdown", (event) => this.down(event, element, button));
    element.addEventListener("click", (event) => this.click(event, element, button));
    return element;
  }

  /**
   * @param {PointerEvent} event
   * @param {HTMLButtonElement} element
   * @param {Button} button
   */
  down(event, element, button) {
    this.began = this.isDeaf ? DEAF : (element.dataset.press ?? "");
    if (!button.hold || event.button !== 0 || this.isDeaf) return;
    element.classList.add("holding");
    const timer = setTimeout(() => {
      end();
      this.began = DEAF; // the release of a hold that was long enough says nothing
      if (element.isConnected) this.press(button);
      else this.onChanged();
    }, HOLD_MS);
    const end = () => {
      clearTimeout(timer);
      element.classList.remove("holding");
      for (const name of ["pointerup", "pointerleave", "pointercancel"]) element.removeEventListener(name, end);
    };
    for (const name of ["pointerup", "pointerleave", "pointercancel"]) element.addEventListener(name, end);
  }

  /**
   * @param {MouseEvent} event
   * @param {HTMLButtonElement} element
   * @param {Button} button
   */
  click(event, element, button) {
    const byPointer = event.detail > 0;
    if (byPointer && this.began === DEAF) return;
    if (byPointer && this.began !== element.dataset.press) {
      this.onChanged();
      return;
    }
    if (!button.hold) this.press(button);
    else if (!byPointer) this.confirm(element, button);
    else if (!this.isDeaf) this.onNote(own("ui.note.hold"));
  }

  /**
   * What a finger holds, a key presses twice.
   *
   * @param {HTMLElement} element
   * @param {Button} button
   */
  confirm(element, button) {
    if (element.classList.contains("armed")) {
      element.classList.remove("armed");
      this.press(button);
      return;
    }
    element.classList.add("armed");
    this.onNote(own("ui.note.again"));
    setTimeout(() => element.classList.remove("armed"), ARMED_MS);
  }

  /** @returns {boolean} Whether a touch that begins now is the second one of a double touch, or comes before an answer. */
  get isDeaf() {
    return this.busy || performance.now() < this.deafUntil;
  }

  /** Something was taken: the touch that follows at once was meant for it. */
  rest() {
    this.deafUntil = performance.now() + DEAF_MS;
  }

  /** @param {Button} button */
  async press(button) {
    if (this.isDeaf) return;
    this.busy = true;
    const bar = byId("bar");
    bar.setAttribute("aria-busy", "true");
    try {
      await this.onPress(button);
    } finally {
      this.busy = false;
      this.rest();
      setTimeout(() => bar.setAttribute("aria-busy", "false"), DEAF_MS);
    }
  }

  /**
   * @param {string} key
   * @returns {string} What a key would do now; empty for nothing.
   */
  meaning(key) {
    const button = PLACES.flatMap((place) => this.buttons[place] ?? []).find((one) => one.keys.includes(key));
    return button ? JSON.stringify([button.commands, button.opens]) : "";
  }

  /**
   * The button of a key, if there is one now; it does what a press would.
   *
   * @param {string} key
   * @returns {boolean}
   */
  key(key) {
    for (const place of PLACES) {
      const here = this.buttons[place] ?? [];
      const index = here.findIndex((button) => button.keys.includes(key));
      const button = here[index];
      if (!button) continue;
      const element = /** @type {HTMLElement | undefined} */ (byId(`place-${place}`).children[index]);
      if (button.hold && element) this.confirm(element, button);
      else this.press(button);
      return true;
    }
    return false;
  }
}

const STEP = 0.94;
const LEAST = 0.8;

/**
 * Make a button's words so small that they stand on one line and cover neither its key nor its edge; where that would be too small,
 * on two.
 *
 * @param {HTMLElement} element
 */
function fit(element) {
  const words = /** @type {HTMLElement} */ (element.querySelector("b"));
  const key = element.querySelector("kbd");
  const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const full = parseFloat(getComputedStyle(words).fontSize) / root;
  const range = document.createRange();
  range.selectNodeContents(words);
  const at = key?.getBoundingClientRect();
  for (const most of [1, 2]) {
    for (let size = full; size > full * LEAST; size *= STEP) {
      words.style.fontSize = size === full ? "" : `${size}rem`;
      const lines = [...range.getClientRects()];
      const covers = at && lines.some((line) => line.right > at.left && line.top < at.bottom && line.bottom > at.top);
      if (!covers && lines.length <= most && words.scrollWidth <= element.clientWidth) return;
    }
  }
}

const SVG = "http://www.w3.org/2000/svg";

/** @type {Record<string, string>} */
const GLYPHS = {
  undo: "M14 5 5 13l9 8M5 13h16a8 8 0 0 1 0 16H10",
  problem: "M18 4 33 31H3ZM18 13v9M18 26v1.5",
};

/**
 * The sign of a place, where it has one.
 *
 * @param {string} place
 * @returns {SVGSVGElement[]}
 */
function glyph(place) {
  const drawn = GLYPHS[place];
  if (!drawn) return [];
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "glyph");
  svg.setAttribute("viewBox", "0 0 36 34");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", drawn);
  svg.append(path);
  return [svg];
}
