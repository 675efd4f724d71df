/** A seat's page: draws what its topic brought, shows how old it is, and tells the table what stands on it. It takes no action. */

import { face } from "./cards.js";
import { RulesSheet } from "./seatrules.js";
import { SeatStream } from "./seatstream.js";
import { digest, shownLine } from "./shown.js";
import { language, otherLanguage, own, pick, setLanguage, setWords } from "./words.js";

const ECHO_MS = 1000;
const SECOND_MS = 1000;
const VEIL = "–";
const ONE_ROW = 5;
const ONE_ROW_OPEN = 3;
const MANY = 4;
const LONG_TITLE = 14;

/** @type {any} */
const page = { stale: true, spoken: "", clock: { id: "", from: 0 }, since: null, echoed: 0, line: "" };
const seat = Number(document.body.dataset.seat);
const display = remembered("display") ?? `page-${Math.random().toString(36).slice(2, 10)}`;
sessionStorage.setItem("stud-table-seat-display", display);

const stream = new SeatStream(seat, { onScreen: draw, onAge: drawAge });
const sheet = new RulesSheet(() => stream.screen);

/** @param {string} name @returns {string | null} */
function remembered(name) {
  return sessionStorage.getItem(`stud-table-seat-${name}`);
}

/** @param {string} id @returns {HTMLElement} */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** @param {string} id @param {string} text */
function write(id, text) {
  const element = byId(id);
  if (element.textContent !== text) element.textContent = text;
}

/** @param {number} amount @returns {string} An amount is shown as long as it is known to be true. */
function shown(amount) {
  return page.stale ? VEIL : String(amount);
}

/**
 * @param {string} tag
 * @param {string} name
 * @param {string} [text]
 * @returns {HTMLElement}
 */
function make(tag, name, text = "") {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

/** @param {any} screen */
function draw(screen) {
  drawWords();
  const body = document.body;
  body.dataset.state = screen ? screen.state : "waiting";
  body.dataset.seats = String(screen?.seats ?? 0);
  body.classList.toggle("loud", !page.stale && screen?.tone === "loud");
  body.classList.toggle("stop", !page.stale && screen?.tone === "stop");
  write("seat-number", String(screen?.seat ?? seat));
  write("seat-name", screen?.name ? `· ${screen.name}` : "");
  write("game", pick(screen?.game));
  write("verified", screen?.verified ? `· ${pick(screen.verified)}` : "");
  write("street", screen?.street_text ? `· ${pick(screen.street_text)}` : "");
  byId("street").dataset.street = String(screen?.street ?? 0);
  write("hand", screen?.hand ? String(screen.hand) : VEIL);
  write("rules", pick(screen?.rules));
  write("call-floor", own(screen?.called ? "seat.called" : "seat.callfloor"));
  /** @type {HTMLButtonElement} */ (byId("call-floor")).disabled = page.stale || !screen?.name || screen.called;
  drawBanner(screen);
  drawOptions(screen);
  drawBoards(screen);
  drawFigures(screen);
  sheet.look(page.stale);
  echo();
}

/** @param {any} screen */
function drawBanner(screen) {
  const lines = byId("lines");
  if (!screen || page.stale) {
    write("title", own(screen ? "seat.notlive" : "seat.waiting"));
    const since = page.since ? own("seat.since", page.since.toLocaleTimeString(language(), { hour12: false })) : "";
    lines.replaceChildren(...(screen && since ? [make("p", "", since)] : []));
  } else {
    write("title", pick(screen.title));
    lines.replaceChildren(...screen.lines.map((/** @type {any} */ line) => make("p", "", pick(line))));
  }
  const title = byId("title");
  title.classList.toggle("long", (title.textContent ?? "").length > LONG_TITLE);
  lines.classList.toggle("long", (lines.textContent ?? "").length > 70);
  if (screen && !page.stale && title.textContent !== page.spoken) {
    page.spoken = title.textContent;
    write("spoken", `${pick(screen.title)}. ${screen.lines.map(pick).join(". ")}`);
  }
  drawClock(screen);
}

/** @param {any} screen A clock counts down by itself from when it came. */
function drawClock(screen) {
  const clock = page.stale ? null : screen?.clock;
  const id = clock ? `${clock.hand} ${clock.seat} ${clock.seconds}` : "";
  if (id !== page.clock.id) page.clock = { id, from: performance.now() };
  byId("clock").hidden = !clock;
  if (clock) {
    const gone = Math.floor((performance.now() - page.clock.from) / SECOND_MS);
    write("clock", own("seat.seconds", String(Math.max(0, clock.seconds - gone))));
  }
}

/** @param {any} screen */
function drawOptions(screen) {
  const options = page.stale || !screen ? [] : screen.options;
  byId("options").hidden = options.length === 0;
  byId("options").replaceChildren(
    ...options.map((/** @type {any} */ option) => {
      const item = document.createElement("li");
      item.dataset.verb = option.verb;
      item.dataset.to = String(option.to);
      item.dataset.amount = String(option.amount);
      item.dataset.shown = option.shown === null ? "" : String(option.shown);
      item.append(make("b", "", pick(option.text)), make("span", "", pick(option.sub)));
      return item;
    }),
  );
  byId("note").hidden = options.length === 0;
  write("note", options.length === 0 ? "" : pick(screen.note));
}

/** @param {any} screen */
function drawBoards(screen) {
  const boards = screen?.boards ?? [];
  const list = byId("boards");
  const tiles = boards.map(drawBoard);
  if (screen?.common) {
    const item = make("li", "common");
    item.append(make("p", "", own("lbl.common")), face(screen.common));
    tiles.push(item);
  }
  const opened = boards.some((/** @type {any} */ board) => board.cards.length > MANY);
  const twoRows = tiles.length > (opened ? ONE_ROW_OPEN : ONE_ROW);
  list.replaceChildren(...tiles);
  list.classList.toggle("two-rows", twoRows);
  list.dataset.tiles = String(Math.max(twoRows ? Math.ceil(tiles.length / 2) : tiles.length, ONE_ROW_OPEN));
}

/** @param {any} board @returns {HTMLElement} */
function drawBoard(board) {
  const look = [board.you && "you", board.acts && "acts", board.out && "out", board.cards.length > MANY && "many"];
  const item = make("li", ["board", ...look.filter(Boolean)].join(" "));
  const head = make("p", "head");
  head.append(make("b", "number", String(board.seat)), make("span", "name", board.name));
  if (board.won) head.append(chips("won", own("seat.won"), board.won));
  else if (board.bet) head.append(chips("bet", own("seat.bet"), board.bet));
  else if (board.word) head.append(make("span", "word", pick(board.word)));
  const cards = make("p", "cards");
  cards.setAttribute("role", "img");
  cards.setAttribute("aria-label", pick(board.say));
  cards.append(...board.cards.map((/** @type {string} */ card) => face(card)));
  item.append(head, cards);
  if (board.won && board.bet) item.append(chips("bet hidden", "", board.bet));
  return item;
}

/** @param {string} name @param {string} word @param {number} amount @returns {HTMLElement} */
function chips(name, word, amount) {
  const element = make("span", name, word ? `${word} ` : "");
  element.append(make("b", "", shown(amount)));
  return element;
}

/** @param {any} screen */
function drawFigures(screen) {
  const pots = screen?.pots ?? [];
  const total = pots.reduce((/** @type {number} */ sum, /** @type {any} */ pot) => sum + pot.amount, 0);
  write("pot", pots.length > 0 ? shown(total) : VEIL);
  for (const name of ["call", "stack", "win"]) write(name, screen ? shown(screen[name]) : VEIL);
  byId("pots").hidden = pots.length < 2;
  byId("pots").replaceChildren(
    ...(pots.length < 2 ? [] : pots).map((/** @type {any} */ pot) => {
      const item = make("li", pot.mine ? "mine" : "other");
      item.append(make("span", "", `${pick(pot.name)} `), make("b", "amount", shown(pot.amount)));
      item.append(make("span", "", ` ${pick(pot.seats)}${pot.word ? ` · ${pick(pot.word)}` : ""}`));
      return item;
    }),
  );
}

function drawWords() {
  const words = { "seat-word": "lbl.seat", "hand-word": "lbl.hand", "word-pot": "lbl.pot", "word-call": "lbl.tocall" };
  for (const [id, key] of Object.entries({ ...words, "word-stack": "seat.stack", "word-win": "seat.canwin" })) write(id, own(key));
  const button = byId("language");
  button.textContent = language().toUpperCase(); // the language that stands there, as at the console
  button.setAttribute("lang", otherLanguage());
  button.setAttribute("aria-label", otherLanguage() === "fr" ? "Français" : "English");
  write("rules-open", own("seat.rules.open"));
  document.title = `${own("lbl.seat")} ${seat}`;
}

/**
 * @param {number} age
 * @param {boolean} stale
 */
function drawAge(age, stale) {
  const seconds = (age / SECOND_MS).toFixed(1);
  const said = language() === "fr" ? seconds.replace(".", ",") : seconds;
  write("age", Number.isFinite(age) ? own(stale ? "age.stale" : "age.live", said) : own("age.unknown"));
  if (Number.isFinite(age)) page.since = new Date(Date.now() - age);
  drawClock(stream.screen);
  if (stale !== page.stale) {
    page.stale = stale;
    page.spoken = "";
    document.body.classList.toggle("stale", stale);
    if (stale) write("spoken", own("seat.notlive"));
    draw(stream.screen);
  } else if (performance.now() - page.echoed >= ECHO_MS) {
    echo();
  }
}

/** Tell the table what stands on this page, as long as it claims to be true. */
async function echo() {
  if (page.stale || !stream.screen) return;
  page.echoed = performance.now();
  const body = JSON.stringify({ epoch: stream.epoch, seq: stream.seq, digest: digest(shownLine()), display });
  const headers = { "Content-Type": "application/json" };
  await fetch(`/api/v1/seats/${seat}/echo`, { method: "POST", headers, body }).catch(() => undefined);
}

/** Ask for the floor: a prompt at the table. Where it cannot be taken its reason is said. */
async function callFloor() {
  const answer = await fetch(`/api/v1/seats/${seat}/call`, { method: "POST" }).catch(() => null);
  const said = answer && !answer.ok ? await answer.json().catch(() => null) : null;
  if (!answer) write("spoken", own("seat.notlive"));
  else if (said?.refusal) write("spoken", said.refusal[`message_${language()}`] ?? "");
}

/** @param {string} next */
function changeLanguage(next) {
  setLanguage(next);
  sessionStorage.setItem("stud-table-seat-language", next);
  page.spoken = "";
  draw(stream.screen);
}

function start() {
  setWords(JSON.parse(byId("words").textContent ?? "{}"));
  setLanguage(remembered("language") ?? document.documentElement.lang);
  byId("call-floor").addEventListener("click", callFloor);
  byId("language").addEventListener("click", () => changeLanguage(otherLanguage()));
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "l" && event.altKey) changeLanguage(otherLanguage());
  });
  document.addEventListener("contextmenu", (event) => event.preventDefault());
  draw(null);
  stream.start();
}

start();
