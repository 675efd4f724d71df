/**
 * Sound and notifications of a page (screens §9): off until a person turns them on by a touch, and remembered. Priority 1 sounds
 * every five seconds until it is acknowledged, 2 once, 3 never. A notification has table, kind and time, and never a card.
 */

import { byId, write } from "./elements.js";
import { title } from "./said.js";
import { clock } from "./times.js";
import { fill, own } from "./words.js";

const SOUND = "stud-table-floor-sound";
const NOTIFY = "stud-table-floor-notify";
const AGAIN_MS = 5000;
const TONE_S = 0.16;
const GAP_S = 0.08;
const HERTZ = { 1: [880, 660, 880], 2: [587, 440] };
const LOUD = 0.25;

/** @typedef {Record<string, any>} Alarm */

export class Horn {
  /** @param {() => void} redraw */
  constructor(redraw) {
    this.redraw = redraw;
    /** @type {AudioContext | null} */
    this.audio = null;
    this.last = -Infinity;
    /** @type {Set<string> | null} What has called by now; `null` before the first picture. */
    this.known = null;
  }

  start() {
    byId("sound").addEventListener("click", () => this.turnSound());
    byId("notify").addEventListener("click", () => this.turnNotify());
    byId("notify").hidden = !("Notification" in window);
    for (const touch of ["pointerdown", "keydown"]) document.addEventListener(touch, () => this.wake());
  }

  /** @returns {boolean} */
  get sounds() {
    return localStorage.getItem(SOUND) === "on";
  }

  /** @returns {unknown} What of this is on the page. */
  get state() {
    return [this.sounds, this.notifies, this.audio?.state];
  }

  /** @returns {boolean} */
  get notifies() {
    return localStorage.getItem(NOTIFY) === "on" && "Notification" in window && Notification.permission === "granted";
  }

  /** A browser gives no sound before a touch: the first one on the page after a reload is enough. */
  wake() {
    if (!this.sounds) return;
    this.audio ??= new AudioContext();
    if (this.audio.state === "suspended") this.audio.resume().then(this.redraw, () => null);
  }

  turnSound() {
    localStorage.setItem(SOUND, this.sounds ? "off" : "on");
    if (this.sounds) {
      this.wake();
      this.play(HERTZ[2]);
    }
    this.drawWords();
  }

  async turnNotify() {
    if (this.notifies) localStorage.setItem(NOTIFY, "off");
    else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(NOTIFY, "on");
    this.drawWords();
  }

  drawWords() {
    const waits = this.sounds && this.audio?.state !== "running";
    this.label("sound", this.sounds, waits ? "floor.sound.waits" : this.sounds ? "floor.sound.on" : "floor.sound.off");
    const denied = "Notification" in window && Notification.permission === "denied";
    this.label("notify", this.notifies, denied ? "floor.notify.denied" : this.notifies ? "floor.notify.on" : "floor.notify.off");
  }

  /** @param {string} id @param {boolean} isOn @param {string} key */
  label(id, isOn, key) {
    write(byId(id), own(key));
    byId(id).setAttribute("aria-pressed", String(isOn));
  }

  /** @param {Alarm[]} called What calls now, as often as it is drawn. */
  hear(called) {
    const names = called.map((alarm) => `${alarm.id} ${alarm.raised_at} ${alarm.shelf_ended_at ?? ""}`);
    const fresh = called.filter((_, place) => this.known !== null && !this.known.has(names[place] ?? ""));
    this.known = new Set(names);
    for (const alarm of fresh) this.notify(alarm);
    const now = performance.now();
    const stops = called.some((alarm) => alarm.priority === 1 && alarm.acknowledged_by === null);
    if (stops && now - this.last >= AGAIN_MS) {
      this.last = now;
      this.play(HERTZ[1]);
    } else if (!stops && fresh.some((alarm) => alarm.priority === 2)) this.play(HERTZ[2]);
  }

  /** @param {Alarm} alarm */
  notify(alarm) {
    if (!this.notifies || alarm.priority > 2) return;
    const where = alarm.table ? fill("floor.say.table", { table: alarm.table }) : own("floor.page.all_tables");
    new Notification(`${where} · ${title(alarm.code)}`, { body: clock(alarm.raised_at), tag: alarm.id, icon: "/static/icon.svg" });
  }

  /** @param {number[]} tones One after the other. */
  play(tones) {
    const audio = this.audio;
    if (!this.sounds || !audio || audio.state === "closed") return;
    document.body.dataset.sounded = String(Number(document.body.dataset.sounded ?? 0) + 1);
    tones.forEach((hertz, place) => {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()];
      const begin = audio.currentTime + place * (TONE_S + GAP_S);
      tone.frequency.value = hertz;
      volume.gain.setValueAtTime(0, begin);
      volume.gain.linearRampToValueAtTime(LOUD, begin + 0.01);
      volume.gain.setValueAtTime(LOUD, begin + TONE_S - 0.02);
      volume.gain.linearRampToValueAtTime(0, begin + TONE_S);
      tone.connect(volume).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + TONE_S);
    });
  }
}
