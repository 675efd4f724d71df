/** Times as people read them, in the language of the page. */

import { language } from "./words.js";

const SECOND_MS = 1000;
const MINUTE_S = 60;

/** @param {string | number} at @returns {string} `14:03:07`. */
export function clock(at) {
  return new Date(at).toLocaleTimeString(language() === "fr" ? "fr-FR" : "en-GB", { hour12: false });
}

/** @param {number} ms @returns {string} `0:48`, `6:31`, `1:02:05`. */
export function elapsed(ms) {
  const all = Math.max(0, Math.floor(ms / SECOND_MS));
  const [seconds, minutes, hours] = [all % MINUTE_S, Math.floor(all / MINUTE_S) % MINUTE_S, Math.floor(all / MINUTE_S ** 2)];
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}

/** @param {number} ms @returns {string} Seconds with one decimal. */
export function seconds(ms) {
  const said = (Math.max(0, ms) / SECOND_MS).toFixed(1);
  return language() === "fr" ? said.replace(".", ",") : said;
}

/** @param {number} ms @returns {number} Whole minutes. */
export function minutes(ms) {
  return Math.max(0, Math.floor(ms / SECOND_MS / MINUTE_S));
}
