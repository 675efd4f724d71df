/**
 * What opens over the table: lists, forms in guided steps with a preview before anything is applied, and texts to read.
 * A form asks what the table does not know; the likeliest answer to the rest stands beside the preview and can be changed there.
 * Nothing moves before Apply.
 */

import { Answers, valueText } from "./answers.js";
import { face } from "./cards.js";
import { byId, make } from "./elements.js";
import { at, get, post } from "./send.js";
import { everyOwn, own, pick } from "./words.js";

const ASKS_FLOOR = ["floor_rules", "floor_rules_it", "undo_is_floors"];
const RANKS = "23456789TJQKA";
const SUITS = "cdhs";

/**
 * @typedef {object} Outside
 * @property {(commands: { command: object, decision: string | null }[]) => Promise<import("./send.js").Answer>} send
 * @property {(why: string) => void} refused
 * @property {() => any} picture
 * @property {(take: boolean) => Promise<void>} wheel
 * @property {(name: string) => void} setting
 * @property {() => boolean} drives
 * @property {string} console
 * @property {() => any} session
 * @property {(title: string, label: string, command: object, changes: HTMLElement) => Promise<any>} agree
 * @property {() => string} [where] What every sheet is about, where one page orders several tables.
 * @property {Record<string, string>} [titles] Forms that are called otherwise here: key of a text by the form's name.
 */

export class Sheets {
  /** @param {Outside} outside */
  constructor(outside) {
    this.outside = outside;
    this.box = /** @type {HTMLDialogElement} */ (byId("sheet"));
    /** @type {string[]} What is open, the newest last. */
    this.trail = [];
    /** @type {any} */
    this.form = null;
    this.step = 0;
    /** Counts what was asked for: an answer that comes after something else was opened or all was closed is passed over. */
    this.asked = 0;
    /** @type {any[]} Questions behind a choice that no button answers. */
    this.behind = [];
    this.answers = new Answers({});
    this.needsFloor = false;
    // A double touch answers one question, a key that is held too: what comes behind it is asked, not answered.
    this.box.addEventListener("click", (event) => this.form && event.detail > 1 && !isPad(event) && event.stopPropagation(), { capture: true });
    this.box.addEventListener("keydown", (event) => event.repeat && event.key === "Enter" && stop(event), { capture: true });
    this.box.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.back();
    });
    this.box.addEventListener("close", () => !this.box.open && this.close()); // a browser closes on a second Escape unasked
  }

  /** @returns {boolean} */
  get isOpen() {
    return this.box.open;
  }

  close() {
    this.asked += 1;
    this.trail = [];
    this.form = null;
    if (this.box.open) this.box.close();
  }

  back() {
    const isBehind = this.behind.length > 0;
    this.behind = [];
    if (this.form && (isBehind || this.step > 0)) {
      if (!isBehind || (this.step > 0 && this.answers.of(this.form.fields[this.step - 1]) === null)) this.step -= 1;
      this.drawForm();
      return;
    }
    this.form = null;
    this.trail.pop();
    const before = this.trail.pop();
    if (before) this.open(before);
    else this.close();
  }

  /** @param {string} spec A sheet's name with its query. */
  async open(spec) {
    const [name = "", query = ""] = spec.split("?");
    const asked = new URLSearchParams(query);
    asked.set("name", name);
    asked.set("console", this.outside.console);
    this.asked += 1;
    const now = this.asked;
    let response;
    let sheet;
    try {
      response = await get(at(`sheets?${asked}`));
      sheet = await response.json();
    } catch {
      this.outside.refused(own("ui.auth.away"));
      return;
    }
    if (now !== this.asked) return;
    if (!response.ok) {
      this.outside.refused(said(sheet.refusal));
      return;
    }
    if (this.trail.at(-1) !== spec) this.trail.push(spec);
    this.form = null;
    const title = this.outside.titles?.[name.replace("form:", "")];
    if (title) sheet.title = everyOwn(title);
    if (sheet.kind === "form") this.startForm(sheet);
    else if (sheet.kind === "text") this.drawText(sheet);
    else this.drawList(sheet);
    if (!this.box.open) this.box.showModal();
  }

  /**
   * @param {string} title
   * @param {string} hint
   * @param {Node[]} body
   * @param {Node[]} foot
   */
  draw(title, hint, body, foot) {
    const head = make("h2", "", [this.outside.where?.(), title].filter(Boolean).join(" · "));
    head.id = "sheet-title";
    const children = [head];
    if (hint) children.push(make("p", "hint", hint));
    children.push(make("div", "body", ...body), make("div", "foot", ...foot));
    this.box.replaceChildren(...children);
    /** @type {HTMLElement | null} */ (this.box.querySelector("input, .body button:not(:disabled), .foot button"))?.focus();
  }

  /** @param {string} [words] */
  backButton(words = own("ui.act.back")) {
    const button = make("button", "act line", make("b", "", words));
    button.id = "sheet-back";
    button.addEventListener("click", () => this.back());
    return button;
  }

  /**
   * @param {string} words
   * @param {string} sub
   * @param {() => void} onPress
   * @param {string} [look]
   */
  footButton(words, sub, onPress, look = "pri") {
    const button = make("button", `act ${look}`, make("b", "", words));
    if (sub) button.append(make("span", "sub", sub));
    button.addEventListener("click", onPress);
    return button;
  }

  /** @param {any} sheet */
  drawList(sheet) {
    const choices = make("div", "choices");
    for (const item of sheet.items) {
      const button = make("button", "choice", make("b", "", pick(item.text)));
      if (item.sub) button.append(make("span", "", pick(item.sub)));
      if (item.name) button.dataset.form = item.name;
      button.addEventListener("click", () => this.take(item));
      choices.append(button);
    }
    const foot = [this.backButton(), make("span", "space")];
    if (sheet.floor && this.outside.drives()) {
      foot.push(this.footButton(pick(sheet.floor.text), pick(sheet.floor.sub), () => this.sendAndClose(sheet.floor.commands), "btn"));
    }
    this.draw(pick(sheet.title), pick(sheet.hint), [choices], foot);
  }

  /** @param {any} item */
  async take(item) {
    if (item.opens) await this.open(item.opens);
    else if (item.setting) this.outside.setting(item.setting);
    else if ("wheel" in item) {
      await this.outside.wheel(item.wheel);
      this.close();
    }
  }

  /** @param {any} sheet */
  drawText(sheet) {
    const lines = make("div", "lines");
    lines.tabIndex = 0;
    if (sheet.mark) lines.append(make("p", "mark", pick(sheet.mark)));
    for (const section of sheet.sections) {
      if (section.title) lines.append(make("h3", "", pick(section.title)));
      lines.append(make("ul", "", ...section.lines.map((/** @type {any} */ line) => make("li", "", pick(line)))));
    }
    this.draw(pick(sheet.title), "", [lines], [this.backButton()]);
  }

  // --- forms ------------------------------------------------------------------------------------------------------------

  /** @param {any} form */
  startForm(form) {
    this.form = form;
    this.step = 0;
    this.behind = [];
    this.answers = new Answers(form);
    this.needsFloor = form.who !== "dealer";
    this.drawForm();
  }

  drawForm() {
    const form = this.form;
    const behind = this.step - form.fields.length;
    if (this.behind.length) this.drawField(this.behind[0]);
    else if (behind < 0) this.drawField(form.fields[this.step]);
    else if (behind === 0) this.drawPreview();
    else this.drawPerson(behind - 1);
  }

  /** @returns {number} How many people are asked for by name, behind the preview: where people sign in they prove who they are. */
  get asksPeople() {
    return this.needsFloor && this.outside.session().access === "open" ? this.form.people.length : 0;
  }

  /** @param {string} path @param {any} value */
  answer(path, value) {
    this.answers.given.set(path, value);
    if (this.behind.length) this.behind.shift();
    else this.step += 1;
    this.drawForm();
  }

  /** @returns {import("./answers.js").Taken} What becomes of a touch on an answer, behind a question or beside the preview. */
  get taken() {
    return {
      changed: () => this.drawForm(),
      asks: (asks) => {
        this.behind = [...asks];
        this.drawForm();
      },
      opens: (spec) => this.open(spec),
    };
  }

  /** @param {any} field */
  drawField(field) {
    const title = `${pick(this.form.title)} · ${this.form.rule}`;
    const hint = pick(field.label);
    if (field.type === "choice") this.draw(title, hint, [this.choices(field)], [this.backButton()]);
    else if (field.type === "choices") this.drawChoices(field, title, hint);
    else if (field.type === "card") this.drawCards(field, title, hint);
    else this.drawInput(field, title, hint);
  }

  /** @param {any} field */
  choices(field) {
    const box = make("div", field.choices.length > 8 ? "choices" : "choices wide");
    for (const choice of field.choices) {
      const button = make("button", "choice", make("b", "", pick(choice.text)));
      button.dataset.value = valueText(choice.value);
      button.addEventListener("click", () => {
        if (!choice.opens) this.step += 1;
        this.answers.take(field, choice, this.taken);
      });
      box.append(button);
    }
    return box;
  }

  /** @param {any} field @param {string} title @param {string} hint */
  drawChoices(field, title, hint) {
    const chosen = new Set();
    const box = make("div", "choices wide");
    for (const choice of field.choices) {
      const button = make("button", "choice", make("b", "", pick(choice.text)));
      button.dataset.value = String(choice.value);
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        if (!chosen.delete(choice.value)) chosen.add(choice.value);
        button.setAttribute("aria-pressed", String(chosen.has(choice.value)));
      });
      box.append(button);
    }
    const next = this.footButton(own("ui.act.next"), "", () => chosen.size && this.answer(field.path, [...chosen]));
    this.draw(title, hint, [box], [this.backButton(), make("span", "space"), next]);
  }

  /** @param {any} field @param {string} title @param {string} hint */
  drawCards(field, title, hint) {
    /** @type {string[]} */
    const chosen = [];
    const grid = make("div", "grid");
    for (const suit of SUITS) {
      for (const rank of RANKS) {
        const code = rank + suit;
        const button = /** @type {HTMLButtonElement} */ (make("button", "", face(code)));
        button.disabled = field.seen.includes(code);
        button.setAttribute("aria-label", code);
        button.addEventListener("click", () => {
          chosen.push(code);
          button.disabled = true;
          if (chosen.length >= field.count) this.answer(field.path, field.path === "card" ? code : chosen);
        });
        grid.append(button);
      }
    }
    const foot = [this.backButton(), make("span", "space")];
    if (field.may_skip) foot.push(this.footButton(own("ui.skip"), "", () => this.answer(field.path, null), "btn"));
    this.draw(title, hint, [grid], foot);
  }

  /**
   * @param {any} field
   * @param {string} title
   * @param {string} hint
   * @param {(value: any) => void} [onGiven]
   * @param {string} [act] What the button says.
   */
  drawInput(field, title, hint, onGiven = (value) => this.answer(field.path, value), act = own("ui.act.next")) {
    const input = document.createElement("input");
    input.type = "text";
    input.setAttribute("aria-label", hint);
    input.autocomplete = "off";
    if (field.type === "number") input.inputMode = "numeric";
    else input.maxLength = field.most;
    const empty = make("p", "error", own("ui.ask.empty"));
    empty.setAttribute("role", "alert");
    const done = () => {
      const text = input.value.trim();
      const number = Number(text);
      empty.remove();
      if (!text) input.after(empty);
      else if (field.type !== "number") onGiven(text);
      else if (/^\d+$/.test(text) && number >= field.least && number <= field.most) onGiven(number);
    };
    input.addEventListener("keydown", (event) => event.key === "Enter" && done());
    const body = field.type === "number" ? [input, pad(input)] : [input];
    const next = this.footButton(act, "", done);
    this.draw(title, hint, body, [this.backButton(), make("span", "space"), next]);
  }

  /** @param {number} index */
  drawPerson(index) {
    const field = { path: index ? "agreed_by" : "by", type: "text", most: 32, label: this.form.people[index] };
    const last = index + 1 >= this.asksPeople;
    const done = (/** @type {string} */ name) => {
      this.answers.given.set(field.path, name);
      if (last) this.sendAndClose([{ command: this.command(), decision: this.form.decision ?? null }]);
      else this.answer(field.path, name);
    };
    this.drawInput(field, `${pick(this.form.title)} · ${this.form.rule}`, pick(field.label), done, last ? own("ui.act.apply") : own("ui.act.next"));
  }

  /** @returns {any} The command that the answers make. */
  command() {
    return this.answers.command(this.needsFloor);
  }

  async drawPreview() {
    const { form, step } = this;
    const command = this.command();
    const asked = ++this.asked; // of two answers that were touched one after the other the last one is shown
    /** @type {any} */
    let answer = { ok: true, changes: form.unseen };
    try {
      if (form.preview && !this.answers.namesFace) answer = await (await post(at("preview"), { command })).json();
    } catch {
      answer = { ok: false, refusal: { rule: "", code: "away", message: own("ui.auth.away") } };
    }
    if (this.form !== form || this.step !== step || asked !== this.asked || this.behind.length) return;
    if (!answer.ok && !this.needsFloor && ASKS_FLOOR.includes(answer.refusal.code)) {
      this.needsFloor = true;
      this.drawForm();
      return;
    }
    const list = document.createElement("dl");
    for (const row of answer.changes ?? []) list.append(make("dt", "", pick(row.what)), make("dd", "", pick(row.how)));
    const changes = make("div", "", make("h3", "", own("ui.changes")), list);
    const beside = this.answers.beside.map((field) => this.answers.draw(field, this.taken));
    const body = [beside.length ? make("div", "ruling", make("div", "asks", ...beside), changes) : changes];
    const foot = [this.backButton(), make("span", "space")];
    if (answer.ok) {
      const behind = () => (this.asksPeople ? this.answer("", null) : this.agreeAndSend(command, list));
      const apply = this.footButton(own(this.asksPeople ? "ui.act.next" : "ui.act.apply"), pick(form.title), behind);
      apply.id = "sheet-apply";
      foot.push(apply);
    } else changes.append(make("p", "error", said(answer.refusal)));
    const touched = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.value;
    this.draw(`${pick(form.title)} · ${form.rule}`, this.answers.text(), body, foot);
    const picks = /** @type {HTMLElement[]} */ ([...this.box.querySelectorAll(".pick")]);
    (picks.find((one) => one.dataset.value === touched) ?? document.getElementById("sheet-apply"))?.focus();
  }

  /**
   * Behind the preview: those who must agree do so, each with an own badge or PIN.
   *
   * @param {any} command
   * @param {HTMLElement} changes What it changes, for those who agree to read.
   */
  async agreeAndSend(command, changes) {
    const { access, person } = this.outside.session();
    const form = this.form;
    const two = form.agree === "two";
    const asked = [];
    if (access === "people" && person?.role !== "floor" && (two || form.agree === "floor" || command.role === "floor")) asked.push("ui.auth.agree.floor");
    if (access === "people" && two) asked.push("ui.auth.agree.second");
    const approvals = [];
    for (const key of asked) {
      const given = await this.outside.agree(`${own("ui.auth.agree.title")} · ${pick(form.title)}`, own(key), command, /** @type {HTMLElement} */ (changes.cloneNode(true)));
      if (!given || this.form !== form) return;
      approvals.push(given.approval);
    }
    await this.sendAndClose([{ command, decision: form.decision ?? null, approvals }]);
  }

  /** @param {import("./send.js").Given[]} commands */
  async sendAndClose(commands) {
    if (this.sending) return;
    this.sending = true;
    try {
      const answer = await this.outside.send(commands);
      if (answer.ok) this.close();
      else this.box.querySelector(".body")?.append(make("p", "error", said(answer.refusal)));
    } finally {
      this.sending = false;
    }
  }
}

/** @param {Event} event */
function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** @param {Event} event @returns {boolean} Whether it is a key of a pad or of the cards' grid, which are pressed in a row. */
function isPad(event) {
  return event.target instanceof Element && event.target.closest(".pad, .grid, .choices.wide") !== null;
}

/** @param {any} refusal @returns {string} */
function said(refusal) {
  const text = pick({ en: refusal.message_en ?? refusal.message, fr: refusal.message_fr ?? refusal.message });
  return refusal.rule ? `${text} (${refusal.rule})` : text;
}

/** @param {HTMLInputElement} input @returns {HTMLElement} */
export function pad(input) {
  const box = make("div", "pad");
  for (const key of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "00", "0", "⌫"]) {
    const button = make("button", "", key);
    button.setAttribute("type", "button");
    button.addEventListener("click", () => {
      input.value = key === "⌫" ? input.value.slice(0, -1) : input.value + key;
    });
    box.append(button);
  }
  return box;
}
