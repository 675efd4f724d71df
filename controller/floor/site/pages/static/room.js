/** The room on one page: who waits for which game, where seats are open, and who deals where from when. */

import { byId, write } from "./elements.js";
import { Live } from "./live.js";
import { RoomFeed } from "./room_feed.js";
import { Lists } from "./room_lists.js";
import { Orders } from "./room_orders.js";
import { Rota } from "./room_rota.js";
import { Who, asBefore, refusedSaid } from "./who.js";
import { own, setWords } from "./words.js";

const first = JSON.parse(byId("first").textContent ?? "null");
const NOTHING = { now: new Date().toISOString(), venue: "", pits: {} };
const page = { isTold: false, why: "" };

/** @type {RoomFeed} */
const feed = new RoomFeed(first ?? NOTHING, { onPicture: draw, onAge: (age, stale, retry) => live.draw(age, stale, retry), onRefused });
const live = new Live(() => feed, draw, tick);
const who = new Who(JSON.parse(byId("session").textContent ?? "{}"), () => {
  drawWords();
  draw();
});
const orders = new Orders(who, () => feed.ask());
const lists = new Lists(orders, () => live.now(), mayOrder);
const rota = new Rota(orders, () => live.now(), mayOrder, (first ?? NOTHING).pits);

/** @returns {boolean} Whether what is shown is as it is, and whoever is here may change it. */
function mayOrder() {
  return !live.stale && who.mayOrder;
}

function draw() {
  if (live.stale) orders.close();
  if (!feed.picture.games) return; // nothing was told yet
  lists.draw(feed.picture);
  rota.draw(feed.picture);
}

function tick() {
  lists.tick();
  rota.tick();
}

/** @param {any} refusal */
function onRefused(refusal) {
  const why = refusedSaid(refusal);
  if (refusal?.code === "sign_in_first") who.look();
  if (why === page.why) return;
  page.why = why;
  byId("trouble").hidden = !why;
  write(byId("trouble"), why);
}

function drawWords() {
  lists.drawWords();
  rota.drawWords();
  const words = { title: "room.title", "to-waiting": "room.waiting", "to-rota": "room.rota" };
  for (const [id, key] of Object.entries(words)) write(byId(id), own(`floor.${key}`));
  write(byId("up"), `‹ ${own("floor.page.title")}`);
  byId("bottom").setAttribute("aria-label", own("floor.page.room"));
  document.title = `${own("floor.room.title")} · ${(first ?? NOTHING).venue}`;
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const types = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
  if (who.isOpen || orders.isOpen || event.repeat) return;
  if (event.altKey && event.key.toLowerCase() === "l") who.turn();
  else if (event.key === "Escape" && !types) location.assign("/");
  else return;
  event.preventDefault();
}

function start() {
  setWords(JSON.parse(byId("words").textContent ?? "{}"));
  asBefore();
  drawWords();
  document.addEventListener("keydown", onKey);
  who.start();
  lists.start();
  rota.start();
  if (first) feed.start();
}

start();
