/** One table by itself: the felt as everybody may see it, its alarms and what happened, and orders of the floor to it. */

import { Approve, askElsewhere } from "./approve.js";
import { BoardStream, ofTable } from "./board.js";
import { Deeds } from "./deeds.js";
import { byId, make, write } from "./elements.js";
import { drawFelt } from "./felt.js";
import { drawLists } from "./lists.js";
import { Live } from "./live.js";
import { badge, card, tick } from "./parts.js";
import { detail, doing, game, title } from "./said.js";
import { Seating } from "./seating.js";
import { orderAt, send } from "./send.js";
import { Sheets } from "./sheets.js";
import { elapsed, minutes } from "./times.js";
import { Who, asBefore, refusedSaid } from "./who.js";
import { fill, language, own, pick, setWords } from "./words.js";

const table = document.body.dataset.table ?? "";
const first = JSON.parse(byId("first").textContent ?? "null");
const NOTHING = { seq: 0, now: new Date().toISOString(), tile: null, alarms: [] };
const page = { alarms: "", actions: "", spoken: "", asked: false, rules: location.hash === "#rule" };

/** @type {BoardStream} */
const stream = new BoardStream(first ?? NOTHING, { onPicture: ask, onAge: (age, stale, retry) => live.draw(age, stale, retry) }, ofTable(table));
const live = new Live(
  () => stream,
  (isLive) => {
    if (!isLive) sheets.close();
    draw();
  },
  draw,
);
const who = new Who(JSON.parse(byId("session").textContent ?? "{}"), () => {
  drawWords();
  draw();
  approve.draw();
});
const sheets = new Sheets({
  send: sendAll,
  refused: (why) => tell(fill("floor.one.refused", { why })),
  picture: () => stream.picture,
  wheel: async () => {},
  setting: () => {},
  drives: () => false,
  console: "",
  session: () => who.session,
  agree: (name, label, command, beside) =>
    who.door.ask({ title: name, hint: "", label, beside, act: own("ui.act.agree"), path: `/api/tables/${encodeURIComponent(table)}/approvals`, body: { command }, leave: true, elsewhere: elsewhere(command) }),
  titles: { stop_play: "floor.one.freeze", problem: "floor.one.rule" },
  where: () => fill("floor.say.table", { table }),
});

const approve = new Approve(who);
const deeds = new Deeds(who, ask);

/** @param {object} command @returns {import("./door.js").Elsewhere} */
function elsewhere(command) {
  const words = { act: own("floor.approve.ask"), waits: own("floor.approve.waits"), nobody: own("floor.approve.nobody") };
  return { ...words, ask: (isWanted) => askElsewhere(command, isWanted) };
}
const seats = new Seating(location.hash, sheets, order, tell);

/** Draw once a frame of the screen, however many changes come. */
function ask() {
  if (page.asked) return;
  page.asked = true;
  requestAnimationFrame(() => {
    page.asked = false;
    draw();
  });
}

function draw() {
  const picture = stream.picture;
  const tile = picture.tile;
  if (!tile) return;
  document.body.dataset.seq = String(picture.seq);
  write(byId("game"), tile.game ? `${game(tile)} · ${fill("floor.one.stakes", { ante: tile.game.ante, bring_in: tile.game.bring_in })}` : "");
  write(byId("hand"), tile.hand === null ? "" : fill("floor.one.hand", { n: tile.hand }));
  const on = tile.dealer ? fill("floor.minutes", { k: minutes(live.now() - Date.parse(tile.dealer.since)) }) : "";
  write(byId("dealer"), tile.dealer ? `${tile.dealer.name} · ${on}` : "");
  drawBanner(picture);
  drawActions(picture);
  drawFelt(picture.public, language());
  drawAlarms(picture);
  drawLists(/** @type {any} */ (picture), live.now());
  if (!live.stale && who.mayOrder) seats.look(tile);
}

/** @param {any} picture What goes on, why, and the way out. */
function drawBanner(picture) {
  const tile = picture.tile;
  const hold = tile.state === "stopped" ? tile.hold : null;
  const worst = picture.alarms[0];
  const level = hold ? 1 : (worst?.priority ?? 0);
  const banner = byId("banner");
  banner.className = `doing ${tile.state}${level ? ` p${level}` : ""}`;
  const mark = byId("banner-badge");
  if (mark.dataset.level !== String(level)) {
    mark.dataset.level = String(level);
    mark.replaceChildren(...(level ? [badge(level, false)] : []));
  }
  write(byId("doing"), hold ? `${own("floor.state.stopped")} · ${title(hold.code)}` : doing(tile));
  write(byId("why"), hold ? pick(hold.text) : detail(tile, null, live.now()));
  const since = hold ? picture.alarms.find((/** @type {any} */ alarm) => alarm.alarm === "hold")?.raised_at : null;
  write(byId("since"), since ? elapsed(live.now() - Date.parse(since)) : "");
  const said = hold ? `${title(hold.code)}. ${pick(hold.text)}` : "";
  if (said !== page.spoken) {
    page.spoken = said;
    write(byId("spoken"), said);
  }
}

/** @param {any} picture Only what the table would take now; nothing while the page or the table is not live. */
function drawActions(picture) {
  const { tile } = picture;
  const isLive = !live.stale && tile.liveness === "online";
  const isFrozen = tile.hold?.code === "floor_called";
  /** @type {[string, string][]} */
  const orders = [];
  if (isLive && who.mayOrder) {
    orders.push(["rule", tile.hold ? "stop" : "problem"]);
    if (tile.hand !== null && !isFrozen) orders.push(["freeze", "form:stop_play"]);
    orders.push(["orders", "orders"]);
  }
  if (isLive && who.mayAsk) orders.push(["antennas", "devices"]);
  const drawn = JSON.stringify([orders, tile.http, language()]);
  if (page.actions === drawn) return;
  page.actions = drawn;
  const buttons = orders.map(([name, spec]) => {
    const button = make("button", name === "rule" ? "pri" : "", own(`floor.one.${name}`));
    button.setAttribute("type", "button");
    button.dataset.act = name;
    button.addEventListener("click", () => order(spec));
    return button;
  });
  if (tile.http) {
    const link = /** @type {HTMLAnchorElement} */ (make("a", "", own("floor.one.watch")));
    link.href = tile.http;
    link.rel = "noreferrer";
    buttons.push(link);
  }
  byId("actions").replaceChildren(...buttons);
}

/** @param {string} spec A sheet of the table's; who is not signed in does so first, but to read. */
async function order(spec) {
  tell("");
  if (spec === "devices" || (await who.ready())) await sheets.open(spec);
}

/** @param {any} picture */
function drawAlarms(picture) {
  const now = live.now();
  const called = picture.alarms;
  const drawn = JSON.stringify([called, deeds.state, who.session, language()]);
  if (drawn !== page.alarms) {
    page.alarms = drawn;
    deeds.laid(called.map((/** @type {any} */ alarm) => alarm.id));
    const cards = called.map((/** @type {any} */ alarm) => card(alarm, now, { deeds: deeds.of(alarm), note: deeds.note(alarm) }));
    byId("alarm-list").replaceChildren(...cards);
  }
  tick(byId("alarm-list"), now);
  write(byId("alarms-count"), called.length > 0 ? fill("floor.page.active", { k: called.length }) : "");
  byId("alarms-none").hidden = called.length > 0;
}

/**
 * @param {import("./send.js").Given[]} commands
 * @returns {Promise<import("./send.js").Answer>} What the table answered, which the page says too.
 */
async function sendAll(commands) {
  /** @type {import("./send.js").Answer} */
  let answer = { ok: true };
  const what = sheets.form ? pick(sheets.form.title) : "";
  const seen = sheets.form?.seq ?? stream.picture.public?.seq ?? 0; // the sheet's picture, where the table told it
  for (const given of commands) {
    tell(own("floor.one.sending"));
    answer = await send(given, seen, "", () => tell(own("floor.one.again")));
    if (!answer.ok) {
      tell(fill("floor.one.refused", { why: refusedSaid(answer.refusal) }));
      if (answer.refusal?.code === "sign_in_first") who.look();
      return answer;
    }
  }
  tell(fill("floor.one.done", { what, seq: answer.seq ?? "–" }));
  return answer;
}

/** @param {string} said What the table answered, until the next order. */
function tell(said) {
  write(byId("told"), said);
}

function drawWords() {
  const words = { alarms: "page.alarms", happened: "one.happened", hands: "one.hands", rulings: "one.rulings", devices: "one.devices", journal: "one.journal" };
  for (const [id, key] of Object.entries(words)) write(byId(`${id}-title`), own(`floor.${key}`));
  write(byId("title"), fill("floor.say.table", { table }));
  write(byId("hands-all"), own("floor.one.all_hands"));
  /** @type {HTMLAnchorElement} */ (byId("hands-all")).href = `/hands?table=${encodeURIComponent(table)}`;
  write(byId("up"), `‹ ${own("floor.page.title")}`);
  write(byId("to-room"), own("floor.page.room"));
  write(byId("alarms-none"), own("floor.one.no_alarm"));
  write(byId("to-alarms"), own("floor.page.alarms"));
  write(byId("to-tables"), own("floor.page.tables"));
  byId("actions").setAttribute("aria-label", own("floor.one.actions"));
  byId("bottom").setAttribute("aria-label", own("floor.page.title"));
  document.title = `${fill("floor.say.table", { table })} · ${own("floor.page.title")}`;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (sheets.isOpen || who.isOpen || approve.box.open || deeds.box.open || event.target instanceof HTMLInputElement || event.repeat) return;
  if (event.altKey && event.key.toLowerCase() === "l") who.turn();
  else if (event.key === "Escape") location.assign("/");
  else return;
  event.preventDefault();
}

function start() {
  setWords(JSON.parse(byId("words").textContent ?? "{}"));
  asBefore();
  orderAt(`/api/tables/${encodeURIComponent(table)}`);
  drawWords();
  document.addEventListener("keydown", onKey);
  who.start();
  approve.start();
  deeds.start();
  if (!first) return;
  stream.start();
  if (page.rules && who.mayOrder) {
    history.replaceState(null, "", location.pathname);
    order(first.tile?.hold ? "stop" : "problem");
  }
}

start();
