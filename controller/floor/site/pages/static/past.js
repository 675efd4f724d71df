/** What the pages of the past share: words, who is there, ways between them, and questions to the floor. */

import { byId, make, write } from "./elements.js";
import { get } from "./send.js";
import { Who, asBefore, refusedSaid } from "./who.js";
import { language, own, setWords } from "./words.js";

const WAYS = [
  ["/hands", "history.page.hands"],
  ["/reports", "history.page.reports"],
];

/** @param {() => void} draw Everything in the language of now. @returns {Who} */
export function begin(draw) {
  setWords(JSON.parse(byId("words").textContent ?? "{}"));
  asBefore();
  const both = () => {
    drawFrame();
    draw();
  };
  const who = new Who(JSON.parse(byId("session").textContent ?? "{}"), both);
  drawFrame();
  who.start();
  return who;
}

function drawFrame() {
  write(byId("up"), `‹ ${own("floor.page.title")}`);
  write(byId("to-alarms"), own("floor.page.alarms"));
  write(byId("to-tables"), own("floor.page.tables"));
  byId("bottom").setAttribute("aria-label", own("floor.page.title"));
  byId("ways").setAttribute("aria-label", own("history.page.ways"));
  const ways = WAYS.map(([path, key]) => {
    const link = /** @type {HTMLAnchorElement} */ (make("a", "", own(String(key))));
    link.href = String(path);
    if (location.pathname === path) link.setAttribute("aria-current", "page");
    return link;
  });
  byId("ways").replaceChildren(...ways);
}

let questions = 0;

/**
 * @param {string} path
 * @returns {Promise<any>} The answer, or null when there is none, which the page says; and for a question behind which another was asked.
 */
export async function ask(path) {
  questions += 1;
  const question = questions;
  write(byId("said"), own("history.wait"));
  let told = null;
  let said = "";
  try {
    const response = await get(path);
    const answer = await response.json();
    if (response.ok) told = answer;
    else said = refusedSaid(answer.refusal) || String(answer.detail ?? response.status);
  } catch {
    said = own("history.away");
  }
  if (question !== questions) return null;
  write(byId("said"), said);
  return told;
}

/** @param {string | null} at @returns {string} Day and time as people here read them. */
export function when(at) {
  if (!at) return "";
  const said = new Date(at);
  const words = language() === "fr" ? "fr-FR" : "en-GB";
  return `${said.toLocaleDateString(words, { day: "numeric", month: "short" })} ${said.toLocaleTimeString(words, { hour12: false })}`;
}

/**
 * @param {string} name
 * @param {string} kind Of input, or `select`.
 * @param {string} value
 * @param {[string, string][]} [choices]
 * @returns {HTMLElement}
 */
export function field(name, kind, value, choices = []) {
  const input = /** @type {HTMLInputElement} */ (document.createElement(kind === "select" ? "select" : "input"));
  if (kind !== "select") input.type = kind;
  input.name = name;
  if (kind === "text") input.maxLength = 64;
  input.autocomplete = "off";
  for (const [choice, said] of choices) {
    const option = /** @type {HTMLOptionElement} */ (make("option", "", said));
    option.value = choice;
    input.append(option);
  }
  input.value = value;
  return make("label", "", make("span", "", own(`history.ask.${name}`)), input);
}

/** @param {string} href @param {string} said @param {boolean} [saves] @returns {HTMLAnchorElement} */
export function link(href, said, saves = false) {
  const made = /** @type {HTMLAnchorElement} */ (make("a", "", said));
  made.href = href;
  if (saves) made.download = "";
  return made;
}

/** @param {HTMLFormElement} form @returns {URLSearchParams} What was filled in; days become moments. */
export function filled(form) {
  const asked = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const said = String(value).trim();
    if (!said) continue;
    const isTime = name === "from" || name === "to";
    asked.set(name, isTime ? new Date(said).toISOString() : said);
  }
  return asked;
}
