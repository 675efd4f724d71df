/** One hand step by step, as everybody could see it. Keys: ← → a step, ↑ ↓ a street, Home, End, space plays. Nothing touches a game. */

import { byId, make, write } from "./elements.js";
import { drawFelt } from "./felt.js";
import { ask, begin, link, when } from "./past.js";
import { clock } from "./times.js";
import { fill, language, own, pick } from "./words.js";

const STEP_MS = 1600;
const SPEEDS = [1, 2, 4, 8];
const LOOK_MS = 5000;
/** Share of the bar that a street's name takes, in percent; where the next one stands nearer, its mark has no name. */
const LABEL = 8;

/** @type {{ hand: any, at: number, speed: number, timer: number, drawn: string, live: any }} */
const page = { hand: null, at: 1, speed: 1, timer: 0, drawn: "", live: null };

const path = document.body.dataset.path ?? "";
const table = document.body.dataset.table ?? "";

/** @param {number} at */
function go(at) {
  if (!page.hand) return;
  page.at = Math.max(1, Math.min(page.hand.steps.length, at));
  draw();
}

/** @param {number} by Streets on or back. */
function street(by) {
  const marks = page.hand.streets.map((/** @type {any} */ mark) => mark.step);
  const next = by > 0 ? marks.find((/** @type {number} */ step) => step > page.at) : marks.findLast((/** @type {number} */ step) => step < page.at);
  go(next ?? (by > 0 ? page.hand.steps.length : 1));
}

function play() {
  if (page.timer) stop();
  else {
    if (page.at === page.hand.steps.length) page.at = 1;
    tickOn();
  }
  draw();
}

function tickOn() {
  page.timer = window.setTimeout(() => {
    if (page.at >= page.hand.steps.length) stop();
    else tickOn();
    go(page.at + 1);
  }, STEP_MS / page.speed);
}

function stop() {
  clearTimeout(page.timer);
  page.timer = 0;
}

function faster() {
  page.speed = SPEEDS[(SPEEDS.indexOf(page.speed) + 1) % SPEEDS.length] ?? 1;
  draw();
}

/** @param {any} step @returns {HTMLElement} */
function stepLine(step) {
  const line = make("li", step.undone ? "undone" : "");
  line.dataset.step = String(step.step);
  const what = make("span", "what", make("span", "text", pick(step.text)));
  const small = [step.rule, step.undone ? own("history.undone") : "", pick(step.evidence)].filter(Boolean).join(" · ");
  if (small) what.append(make("small", "", small));
  for (const more of step.more) what.append(make("small", "", `${pick(more.text)} · ${more.rule}`));
  line.append(make("span", "number", String(step.step)), make("time", "", clock(step.at)), what, make("b", "pot", step.pot === null ? "" : String(step.pot)));
  line.addEventListener("click", () => {
    stop();
    go(step.step);
  });
  return line;
}

/** The list, once a language; only the mark moves. */
function drawSteps() {
  if (page.drawn === language()) return;
  page.drawn = language();
  const starts = new Map(page.hand.streets.map((/** @type {any} */ mark) => [mark.step, mark.street]));
  const lines = [];
  for (const step of page.hand.steps) {
    const begins = starts.get(step.step);
    if (begins) lines.push(make("li", "street", own(`history.street.${begins}`)));
    lines.push(stepLine(step));
  }
  byId("steps").replaceChildren(...lines);
  const part = (/** @type {number} */ step) => ((step - 1) / Math.max(1, page.hand.steps.length - 1)) * 100;
  const marks = page.hand.streets.map((/** @type {any} */ mark, /** @type {number} */ index) => {
    const next = page.hand.streets[index + 1];
    const fits = !next || part(next.step) - part(mark.step) > LABEL;
    const item = make("li", "", fits ? own(`history.street.${mark.street}`) : "");
    item.style.setProperty("left", `${part(mark.step)}%`);
    return item;
  });
  byId("marks").replaceChildren(...marks);
}

/** @param {string} name @param {string} said @param {string} say @param {() => void} act @returns {HTMLElement} */
function key(name, said, say, act) {
  const button = make("button", name, said);
  button.setAttribute("type", "button");
  button.setAttribute("aria-label", own(say));
  button.title = own(say);
  button.addEventListener("click", (event) => {
    if (event.detail > 0) button.blur(); // after a touch the space key plays; who came by Tab stays where he is
    if (name !== "plays" && name !== "speed") stop();
    act();
  });
  return button;
}

function drawKeys() {
  const focused = document.activeElement?.parentElement?.id === "keys" ? document.activeElement.className : "";
  const last = page.hand.steps.length;
  const exports = ["pdf", "csv", "phh"].map((kind) => {
    const tail = kind === "phh" ? "" : `?lang=${language()}`;
    return link(`/api/hands/${path}/hand.${kind}${tail}`, fill("history.export", { kind: kind.toUpperCase() }), true);
  });
  byId("keys").replaceChildren(
    key("first", "|◀", "history.key.first", () => go(1)),
    key("before", "◀", "history.key.back", () => go(page.at - 1)),
    key("plays", page.timer ? "❚❚" : "▶▶", page.timer ? "history.key.stop" : "history.key.play", play),
    key("on", "▶", "history.key.on", () => go(page.at + 1)),
    key("last", "▶|", "history.key.last", () => go(last)),
    key("speed", `${page.speed}×`, "history.key.speed", faster),
    make("span", "count", make("b", "", String(page.at)), ` ${fill("history.of", { n: last })}`),
    make("span", "gap"),
    ...exports,
  );
  if (focused) /** @type {HTMLElement | null} */ (byId("keys").querySelector(`.${focused}`))?.focus();
}

function drawRecall() {
  const { hand, live } = page;
  const band = byId("recall");
  write(band.querySelector("strong"), own("history.recall"));
  write(band.querySelector(".what"), fill("history.recall.say", { start: when(hand.opened_at), end: clock(hand.ended_at) }));
  const back = /** @type {HTMLAnchorElement} */ (band.querySelector("a"));
  back.href = `/tables/${encodeURIComponent(table)}`;
  const going = live?.hand ? fill("history.live", { n: live.hand }) : "";
  write(back, [going, own("history.back")].filter(Boolean).join(" · "));
}

function drawFacts() {
  const { hand } = page;
  const game = hand.game ? `${own(`floor.game.${hand.game.variant}`)} ${hand.game.stakes.small}/${hand.game.stakes.big}` : "";
  const rules = hand.game?.rules ? fill("history.rules", { hash: hand.game.rules.slice(0, 8) }) : "";
  const parts = [game, hand.dealer ? fill("floor.say.dealer", { name: hand.dealer }) : "", rules, own(`history.links.${hand.links}`), own(`history.end.${hand.outcome}`)];
  write(byId("facts"), parts.filter(Boolean).join(" · "));
  byId("facts").classList.toggle("broken", hand.links === "broken");
  if (hand.untold) write(byId("said"), fill("history.untold", { why: hand.untold }));
}

function draw() {
  write(byId("steps-title"), own("history.steps"));
  if (!page.hand) {
    write(byId("title"), own("history.page.hand"));
    return;
  }
  const said = fill("history.title", { table: page.hand.table, n: page.hand.hand });
  write(byId("title"), said);
  document.title = said;
  drawRecall();
  drawFacts();
  drawSteps();
  drawKeys();
  const step = page.hand.steps[page.at - 1];
  document.body.dataset.step = String(page.at);
  byId("map").hidden = step.view === null;
  if (step.view) drawFelt(step.view, language());
  for (const line of byId("steps").querySelectorAll("[data-step]")) {
    const number = Number(/** @type {HTMLElement} */ (line).dataset.step);
    line.classList.toggle("now", number === page.at);
    line.classList.toggle("later", number > page.at);
    if (number === page.at) {
      line.setAttribute("aria-current", "step");
      const list = byId("steps");
      const item = /** @type {HTMLElement} */ (line);
      list.scrollTop = item.offsetTop - (list.clientHeight - item.clientHeight) / 2;
    } else line.removeAttribute("aria-current");
  }
  const slider = /** @type {HTMLInputElement} */ (byId("at"));
  slider.max = String(page.hand.steps.length);
  slider.value = String(page.at);
  slider.setAttribute("aria-label", own("history.key.slider"));
  slider.setAttribute("aria-valuetext", `${page.at}: ${pick(step.text)}`);
  if (!page.timer) write(byId("spoken"), pick(step.text));
}

const KEYS = /** @type {Record<string, () => void>} */ ({
  ArrowLeft: () => go(page.at - 1),
  ArrowRight: () => go(page.at + 1),
  ArrowUp: () => street(-1),
  ArrowDown: () => street(1),
  Home: () => go(1),
  End: () => go(page.hand.steps.length),
});

/** @param {KeyboardEvent} event */
function onKey(event) {
  const isOurs = event.target === document.body || byId("steps").contains(/** @type {Node} */ (event.target)) || event.target === byId("at");
  const inKeys = byId("keys").contains(/** @type {Node} */ (event.target));
  if (!page.hand || document.querySelector("dialog[open]") || event.altKey || event.ctrlKey || event.metaKey) return;
  const act = KEYS[event.key];
  if (act && (isOurs || inKeys)) {
    stop();
    act();
  } else if (event.key === " " && isOurs) play();
  else return;
  event.preventDefault();
}

/** The hand that is played at the table meanwhile, so that nobody takes this one for it. */
async function look() {
  try {
    const response = await fetch("/api/board", { signal: AbortSignal.timeout(LOOK_MS) });
    if (response.ok) page.live = (await response.json()).tables[table] ?? null;
    if (page.hand) drawRecall();
  } catch {
    page.live = null;
  }
}

async function start() {
  document.addEventListener("keydown", onKey);
  byId("at").addEventListener("input", (event) => {
    stop();
    go(Number(/** @type {HTMLInputElement} */ (event.target).value));
  });
  page.hand = await ask(`/api/hands/${path}`);
  if (!page.hand) return;
  page.at = Number(new URLSearchParams(location.search).get("step")) || page.hand.steps.length;
  go(page.at);
  look();
}

begin(draw);
draw();
start();
