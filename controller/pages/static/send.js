/**
 * Commands to the table. Each carries its own key, the number that was seen and the decision that it answers; without an answer
 * it is sent again under the same key, so it counts once.
 */

const ANSWER_MS = 5000;
const PAUSE_MS = 400;
const TRIES = 20;
const MEANT_MS = 10000;

/** @type {number | null} How much later it is at the table than here, in milliseconds; `null` until it has answered. */
let ahead = null;

/** @param {Response} response Its `Date` tells the table's clock, to the second. */
function readClock(response) {
  const date = Date.parse(response.headers.get("Date") ?? "");
  if (!Number.isNaN(date)) ahead = date - Date.now();
}

/** Where the table's orders go. */
let base = "/api/v1";

/** @param {string} path The floor's, which passes orders on to one table. */
export function orderAt(path) {
  base = path;
}

/** @param {string} path @returns {string} One of the table's addresses, as `preview`. */
export function at(path) {
  return `${base}/${path}`;
}

fetch("/healthz").then(readClock, () => null);

/**
 * @typedef {object} Answer
 * @property {boolean} ok
 * @property {number} [seq]
 * @property {{ rule: string, code: string, message: string, message_en?: string, message_fr?: string }} [refusal]
 */

/**
 * @typedef {object} Given
 * @property {object} command
 * @property {string | null} decision
 * @property {string[]} [approvals] Consents of those who agreed.
 */

/** @returns {string} A key that no other press has. */
export function newKey() {
  const parts = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(parts, (part) => part.toString(16).padStart(2, "0")).join("");
}

/**
 * @param {string} path
 * @param {unknown} body
 * @returns {Promise<Response>}
 */
export async function post(path, body) {
  return fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

/**
 * @param {string} path
 * @returns {Promise<Response>}
 */
export async function get(path) {
  return fetch(path, { signal: AbortSignal.timeout(ANSWER_MS) });
}

/**
 * @param {Given} given
 * @param {number} seq The number of the picture that was seen.
 * @param {string} console Which console gives it.
 * @param {() => void} onLost Called when an answer is missing and the press is sent again.
 * @returns {Promise<Answer>}
 */
export async function send(given, seq, console, onLost) {
  const until = ahead === null ? null : new Date(Date.now() + ahead + MEANT_MS).toISOString();
  const { decision, command, approvals = [] } = given;
  const body = { key: newKey(), seq, decision, expires_at: until, command, console, approvals };
  for (let tried = 0; tried < TRIES; tried += 1) {
    try {
      const response = await post(at("commands"), body);
      readClock(response);
      if (response.status < 500) return await response.json();
    } catch {
      // No answer is no refusal: the key makes the next try the same press.
    }
    onLost();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const message = "The table does not answer.";
  return { ok: false, refusal: { rule: "", code: "away", message, message_en: message, message_fr: "La table ne répond pas." } };
}
