/** The dealer's page: the table's picture on the screen, presses to the table. */

import { Bar } from "./bar.js";
import { Door } from "./door.js";
import { drawAward, drawBanner, drawMiddle, drawReason, drawStrip, drawTiles } from "./draw.js";
import { byId } from "./elements.js";
import { get, newKey, post, send } from "./send.js";
import { Sheets } from "./sheets.js";
import { Table } from "./stream.js";
import { language, otherLanguage, own, pick, setLanguage, setWords } from "./words.js";

const NOTE_MS = 4000;
const TAKEN_MS = 12_000;
const SIMULATED_DEALER = "simulated-dealer";
const SECOND_MS = 1000;
const MINUTE_S = 60;
const WHO_MS = 3000;
const ALONE_MS = 120;

/** @type {any} */
const page = {
  console: remembered("console") ?? newKey(),
  note: "",
  noteUntil: 0,
  clock: { id: "", from: 0 },
  spoken: "",
  stale: false,
  since: new Date(),
  typed: 0,
  typedAt: 0,
};
remember("console", page.console);

const door = new Door();
/** @type {any} Who is signed in here, and whether anybody has to be. */
let session = { access: "open", console: "", locked: false, person: null, may: true };

/** @param {string} name @returns {string | null} */
function remembered(name) {
  return sessionStorage.getItem(`stud-table-${name}`) ?? localStorage.getItem(`stud-table-${name}`);
}

/** @param {string} name @param {string} value */
function remember(name, value) {
  (name === "console" ? sessionStorage : localStorage).setItem(`stud-table-${name}`, value);
}

const table = new Table({
  onPicture: (picture) => draw(picture),
  onAge: (age, stale, since) => drawAge(age, stale, since),
  onRestart: () => keepWheel(),
});
const bar = new Bar(press, () => tell(own("ui.note.changed")), tell);
const sheets = new Sheets({
  send: async (commands) => {
    const answer = await sendAll(commands);
    bar.rest();
    return answer;
  },
  refused: (why) => tell(own("ui.note.refused", why)),
  picture: () => table.picture,
  wheel: takeWheel,
  setting,
  drives: () => drives(table.picture),
  console: page.console,
  session: () => session,
  agree: (title, label, command, beside) =>
    door.ask({ title, hint: "", label, beside, act: own("ui.act.agree"), path: "/api/v1/approvals", body: { command }, leave: true }),
});

/** @param {any} told */
function take(told) {
  session = told;
  if (told.console) page.console = told.console;
  sheets.outside.console = page.console;
  byId("strip-person").textContent = told.person?.name ?? "";
  const lock = byId("lock");
  lock.hidden = !told.person;
  lock.textContent = own("ui.act.lock");
  if (table.picture) draw(table.picture);
}

/** Ask who is there until somebody is. The hand goes on meanwhile, and alarms stay to be read. */
async function askWho() {
  if (door.isOpen || session.access !== "people") return;
  sheets.close();
  const blank = !session.console;
  const hint = session.locked ? own("ui.auth.locked") : "";
  const told = await door.ask({ title: own("ui.auth.title"), hint, act: own("ui.act.signin"), path: "/api/v1/session", body: {}, leave: false });
  if (blank) location.reload();
  else take(told);
}

async function lock() {
  const told = await asked("/api/v1/session/lock", {});
  if (!told) return;
  take(told);
  await askWho();
}

/** Somebody was signed out by time, by a start of the controller, or at the people file. */
async function lookWho() {
  try {
    const told = await (await get("/api/v1/session")).json();
    if (session.console && !told.console) location.reload();
    else if (session.person && !told.person) {
      take(told);
      await askWho();
    }
  } catch {
    // The table does not answer: the page says so by its age.
  }
}

/** @param {any} picture @returns {boolean} Whether this console drives, or nobody does. */
function drives(picture) {
  if (!picture || !session.may) return false;
  return picture.wheel ? picture.wheel.console === page.console : session.access === "open";
}

/** @param {any} picture */
function draw(picture) {
  const screen = picture.screen;
  const stopped = screen.banner.level === 1;
  drawStrip(screen.strip, stopped);
  if (page.stale) drawStale();
  else drawClock(screen.banner);
  drawTiles(screen.tiles, (seat) => sheets.open(`seat?seat=${seat}`));
  drawMiddle(screen.middle, stopped);
  drawAward(screen.award);
  drawBar(picture);
  document.body.dataset.seq = String(picture.seq);
  if (!page.stale) announce(screen);
}

/** A picture without an age is a lie: amounts are veiled, buttons are gone, and the banner says since when. */
function drawStale() {
  const title = { [language()]: own("ui.notlive", page.since.toLocaleTimeString(language(), { hour12: false })) };
  drawBanner({ level: 1, title, reason: { [language()]: own("ui.notlive.sub") }, unit: null }, "", null);
  byId("alarm").textContent = pick(title);
}

/** @param {any} picture */
function drawBar(picture) {
  const screen = picture.screen;
  const note = performance.now() < page.noteUntil ? page.note : "";
  if (page.stale) bar.draw(null, "");
  else if (drives(picture)) bar.draw(screen.bar, note || pick(screen.note));
  else if (session.may) bar.draw(screen.watch.bar, note || pick(screen.watch.note));
  else bar.draw(null, note || pick(screen.watch.note));
  if (note && !page.stale && !screen.banner.level) drawReason(note);
}

/**
 * The banner with its number: a running clock counts down, the time of a stop counts up.
 *
 * @param {any} banner
 */
function drawClock(banner) {
  const clock = banner.clock;
  const id = clock ? `clock ${clock.seat} ${clock.seconds}` : banner.level ? `stop ${banner.title.en}` : "";
  if (id !== page.clock.id) page.clock = { id, from: performance.now() };
  const gone = Math.floor((performance.now() - page.clock.from) / SECOND_MS);
  let number = banner.number;
  if (clock) number = String(Math.max(0, clock.seconds - gone));
  else if (banner.level) number = `${Math.floor(gone / MINUTE_S)}:${String(gone % MINUTE_S).padStart(2, "0")}`;
  drawBanner(banner, number, drives(table.picture) ? (see) => sendAll(see.commands) : null);
}

/**
 * @param {number} age
 * @param {boolean} stale
 * @param {Date} since
 */
function drawAge(age, stale, since) {
  const seconds = (age / SECOND_MS).toFixed(1);
  byId("strip-age").textContent = own(stale ? "ui.live.not" : "ui.live", language() === "fr" ? seconds.replace(".", ",") : seconds);
  if (page.clock.id && !stale && table.picture) drawClock(table.picture.screen.banner);
  if (stale === page.stale) return;
  page.stale = stale;
  page.since = since;
  page.spoken = "";
  document.body.classList.toggle("stale", stale);
  for (const id of ["map", "award"]) byId(id).inert = stale; // what the eye may not read is not read out either
  if (stale) sheets.close();
  if (table.picture) draw(table.picture);
}

/** @param {any} screen */
function announce(screen) {
  const said = `${pick(screen.banner.title)}. ${pick(screen.banner.reason)}`;
  if (said === page.spoken) return;
  page.spoken = said;
  byId(screen.banner.level === 1 ? "alarm" : "spoken").textContent = said;
}

/** @param {string} note @param {number} [lasts] Milliseconds. */
function tell(note, lasts = NOTE_MS) {
  page.note = note;
  page.noteUntil = performance.now() + lasts;
  byId("spoken").textContent = note;
  if (table.picture) drawBar(table.picture);
  setTimeout(() => table.picture && draw(table.picture), lasts + 1);
}

/** @param {import("./bar.js").Button} button */
async function press(button) {
  page.noteUntil = 0;
  if (button.opens === "wheel:take") await takeWheel(true);
  else if (button.opens) await sheets.open(button.opens);
  else await sendAll(button.commands);
}

/**
 * @param {{ command: object, decision: string | null }[]} commands
 * @returns {Promise<import("./send.js").Answer>}
 */
async function sendAll(commands) {
  /** @type {import("./send.js").Answer} */
  let answer = { ok: true };
  for (const given of commands) {
    answer = await send(given, table.picture?.seq ?? 0, page.console, () => tell(own("ui.note.lost")));
    if (!answer.ok) {
      tell(own("ui.note.refused", refusalText(answer)));
      if (answer.refusal?.code === "sign_in_first") lookWho();
      break;
    }
  }
  return answer;
}

/** @param {import("./send.js").Answer} answer */
function refusalText(answer) {
  const refusal = answer.refusal;
  if (!refusal) return "";
  const said = pick({ en: refusal.message_en ?? refusal.message, fr: refusal.message_fr ?? refusal.message });
  return refusal.rule ? `${said} (${refusal.rule})` : said;
}

/** @param {boolean} take */
async function takeWheel(take) {
  const me = { console: page.console };
  const simulated = table.picture?.wheel?.console === SIMULATED_DEALER;
  const answer = await (take ? asked("/api/v1/wheel", { ...me, name: "Console" }) : asked("/api/v1/wheel/return", me));
  if (take && answer && simulated) tell(own("ui.taken.simulated"), TAKEN_MS);
  else if (take && answer) byId("spoken").textContent = own("ui.taken");
}

/**
 * Ask for something that is no command; what is refused, or not answered, is said.
 *
 * @param {string} path
 * @param {object} body
 * @returns {Promise<any>} `null` when it was not done.
 */
async function asked(path, body) {
  try {
    const response = await post(path, body);
    const answer = await response.json();
    if (response.ok) return answer;
    tell(own("ui.note.refused", refusalText(answer)));
  } catch {
    tell(own("ui.auth.away"));
  }
  return null;
}

/** The controller forgot who drives: who drove before says so again. */
async function keepWheel() {
  if (table.picture?.wheel?.console === page.console) await asked("/api/v1/wheel", { console: page.console, name: "Console" });
}

/** @param {string} name */
function setting(name) {
  const root = document.documentElement;
  if (name === "theme") {
    root.dataset.theme = root.dataset.theme === "light" ? "dark" : "light";
    remember("theme", root.dataset.theme);
  } else if (name === "mirror") {
    const on = document.body.classList.toggle("mirror");
    remember("mirror", on ? "yes" : "no");
  } else if (name === "keys") {
    const on = document.body.classList.toggle("keys");
    remember("keys", on ? "yes" : "no");
  }
}

/** @param {string} next */
function changeLanguage(next) {
  setLanguage(next);
  remember("language", next);
  drawLanguage();
  page.spoken = "";
  page.noteUntil = 0;
  if (table.picture) draw(table.picture);
}

function drawLanguage() {
  const button = byId("language");
  button.textContent = language().toUpperCase();
  button.setAttribute("lang", otherLanguage());
  button.setAttribute("aria-label", otherLanguage() === "fr" ? "Français" : "English");
  byId("menu").textContent = own("ui.act.menu");
  byId("lock").textContent = own("ui.act.lock");
}

/**
 * A badge's reader types as a keyboard does, and faster than any hand: where people sign in, an act waits until its key has stayed
 * alone, and what comes in a row is none.
 *
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
function isBurst(event) {
  if (session.access !== "people" || event.ctrlKey || event.altKey || event.metaKey) return false;
  const now = performance.now();
  const close = now - page.typedAt < ALONE_MS;
  page.typedAt = now;
  if (close) clearTimeout(page.typed);
  return close;
}

/** @param {string} key @returns {boolean} Whether a button has that key; it is pressed when the key has stayed alone. */
function actsAlone(key) {
  if (session.access !== "people") return bar.key(key);
  const meant = bar.meaning(key);
  if (!meant) return false;
  page.typed = setTimeout(() => bar.meaning(key) === meant && bar.key(key), ALONE_MS);
  return true;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (sheets.isOpen || door.isOpen || event.target instanceof HTMLInputElement) return;
  if (event.repeat || isBurst(event)) {
    event.preventDefault(); // a key that is held, or a badge that nobody asked for, gives no order
    return;
  }
  const key = event.key.toLowerCase();
  if (event.altKey && /^[1-8]$/.test(key)) sheets.open(`seat?seat=${key}`);
  else if (event.altKey && key === "l") changeLanguage(otherLanguage());
  else if (event.altKey) return;
  else if (key === "?") sheets.open("keys");
  else if (key === "m" && !event.ctrlKey) sheets.open("menu");
  else if (event.ctrlKey ? !bar.key(`Control+${key}`) : event.metaKey || key === "enter" || key === " " || !actsAlone(key)) return;
  document.body.classList.add("keys");
  event.preventDefault();
}

function start() {
  setWords(JSON.parse(byId("words").textContent ?? "{}"));
  setLanguage(remembered("language") ?? document.documentElement.lang);
  document.documentElement.dataset.theme = remembered("theme") ?? "dark";
  document.body.classList.toggle("mirror", remembered("mirror") === "yes");
  document.body.classList.toggle("keys", remembered("keys") === "yes");
  drawLanguage();
  byId("language").addEventListener("click", () => changeLanguage(otherLanguage()));
  byId("menu").addEventListener("click", () => sheets.open("menu"));
  byId("lock").addEventListener("click", lock);
  document.addEventListener("keydown", onKey);
  document.addEventListener("contextmenu", (event) => event.preventDefault());
  table.picture = JSON.parse(byId("first").textContent ?? "null");
  take(JSON.parse(byId("session").textContent ?? "{}"));
  if (session.access === "people") setInterval(lookWho, WHO_MS);
  if (session.access === "people" && !session.person) askWho();
  if (table.picture) table.start();
}

start();
