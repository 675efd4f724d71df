/** Whose orders these are where nobody signs in: a name that was given is taken for ten minutes from its last use, not for the next person. */

const KEY = "stud-table-floor-name";
const FOR_MS = 600_000;

/** @returns {string} The name that was given last, empty for none or one that nobody has used for long. */
export function nameGiven() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return kept && Date.now() - kept.at < FOR_MS ? kept.name : "";
  } catch {
    return "";
  }
}

/** @param {string} name @returns {string} The same, which is the one from now on. */
export function giveName(name) {
  if (name) localStorage.setItem(KEY, JSON.stringify({ name, at: Date.now() }));
  return name;
}
