/**
 * What waits for a second person who is elsewhere (screens §8): asked for at one page, agreed with at another by badge or PIN. The
 * page that asked gives the order; nothing moves before.
 */

import { byId, make, write } from "./elements.js";
import { at, get, post } from "./send.js";
import { fill, own, pick } from "./words.js";

const LOOK_MS = 2000;
const WAIT_MS = 1000;

/** @typedef {import("./who.js").Who} Who */

export class Approve {
  /** @param {Who} who */
  constructor(who) {
    this.who = who;
    this.box = /** @type {HTMLDialogElement} */ (byId("approve"));
    /** @type {any[]} */
    this.waiting = [];
    this.drawn = "";
  }

  start() {
    for (const id of ["approve-open", "to-approve"]) byId(id).addEventListener("click", () => this.open());
    this.draw();
    if (!this.isServed) return;
    this.look();
    setInterval(() => this.look(), LOOK_MS);
  }

  /** @returns {boolean} Only where people sign in is there a second person to prove who it is. */
  get isServed() {
    return Boolean(document.body.dataset.orders) && this.who.session.access === "people" && Boolean(this.who.session.console);
  }

  async look() {
    try {
      const response = await get("/api/proposals");
      this.waiting = response.ok ? (await response.json()).proposals : [];
    } catch {
      this.waiting = []; // the page says by its age that the floor does not answer
    }
    this.draw();
  }

  draw() {
    const count = this.waiting.length;
    const bottom = byId("to-approve");
    bottom.hidden = !this.isServed;
    bottom.replaceChildren(own("floor.approve"), ...(count > 0 ? [make("b", "count", String(count))] : []));
    byId("approve-open").hidden = count === 0;
    write(byId("approve-open"), `${own("floor.approve")} · ${count}`);
    if (this.box.open) this.list();
  }

  open() {
    this.drawn = "";
    this.list();
    this.box.showModal();
  }

  list() {
    const drawn = JSON.stringify(this.waiting.map((one) => one.id));
    if (drawn === this.drawn) return; // seconds that run take the focus from nobody
    this.drawn = drawn;
    const head = make("h2", "", own("floor.approve.title"));
    head.id = "approve-title";
    const items = this.waiting.map((one) => this.item(one));
    const back = make("button", "act line", make("b", "", own("ui.act.back")));
    back.setAttribute("type", "button");
    back.addEventListener("click", () => this.box.close());
    const body = make("div", "body", ...(items.length > 0 ? items : [make("p", "hint", own("floor.approve.none"))]));
    this.box.replaceChildren(head, body, make("div", "foot", back));
  }

  /** @param {any} one @returns {HTMLElement} */
  item(one) {
    const title = `${fill("floor.say.table", { table: one.table })} · ${own(`floor.ruling.${one.kind}`)}`;
    const changes = make("dl");
    for (const row of one.changes) changes.append(make("dt", "", pick(row.what)), make("dd", "", pick(row.how)));
    const agree = make("button", "act pri", make("b", "", own("ui.act.agree")));
    agree.setAttribute("type", "button");
    agree.addEventListener("click", () => this.agree(one, title, /** @type {HTMLElement} */ (changes.cloneNode(true))));
    const section = make("section", "waiting", make("h3", "", title), make("p", "hint", fill("floor.approve.by", { name: one.by })), changes, agree);
    section.dataset.proposal = one.id;
    return section;
  }

  /** @param {any} one @param {string} title @param {HTMLElement} beside */
  async agree(one, title, beside) {
    const asked = { title, hint: "", label: own("ui.auth.agree.second"), beside, act: own("ui.act.agree"), path: `/api/proposals/${one.id}`, body: {}, leave: true };
    const told = await this.who.door.ask(asked);
    await this.look();
    if (!told) return;
    const done = make("p", "agreed", fill("floor.approve.done", { name: told.name, by: one.by }));
    done.setAttribute("role", "status");
    this.box.querySelector(".body")?.prepend(done);
  }
}

/**
 * @param {object} command
 * @param {() => boolean} isWanted Whether the page still waits.
 * @returns {Promise<any>} The consent of whoever agreed at another page; `null` when nobody did in time, or nobody is asked any more.
 */
export async function askElsewhere(command, isWanted) {
  const response = await post(at("proposals"), { command });
  const asked = await response.json();
  if (!response.ok) return null;
  while (isWanted()) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    const told = await get(`/api/proposals/${asked.id}`);
    if (!told.ok) return null;
    const answer = await told.json();
    if (answer.approval) return answer;
  }
  await fetch("/api/proposals", { method: "DELETE" });
  return null;
}
