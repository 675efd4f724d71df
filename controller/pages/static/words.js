/**
 * Texts in the language of the page, which changes in place.
 *
 * @typedef {Record<string, string>} Said A text by the code of its language.
 */

/** @type {{ language: string, own: Record<string, Record<string, string>> }} */
const state = { language: "en", own: {} };

/** @param {Record<string, Record<string, string>>} own Texts of the page itself, by language and key. */
export function setWords(own) {
  state.own = own;
}

/** @param {string} language */
export function setLanguage(language) {
  state.language = language;
  document.documentElement.lang = language;
}

/** @returns {string} */
export function language() {
  return state.language;
}

/** @returns {string} The other language. */
export function otherLanguage() {
  const all = Object.keys(state.own);
  return all[(all.indexOf(state.language) + 1) % all.length] ?? state.language;
}

/**
 * @param {Said | null | undefined} said
 * @returns {string}
 */
export function pick(said) {
  return said ? (said[state.language] ?? said.en ?? "") : "";
}

/**
 * A text of the page's own; `{}` in it is filled in.
 *
 * @param {string} key
 * @param {string} [value]
 * @returns {string}
 */
export function own(key, value = "") {
  return (state.own[state.language]?.[key] ?? key).replace("{}", value);
}

/** @param {string} key @returns {Said} A text of the page's own in every language, as the table tells its texts. */
export function everyOwn(key) {
  return Object.fromEntries(Object.entries(state.own).map(([code, words]) => [code, words[key] ?? key]));
}

/**
 * A text of the page's own with several values.
 *
 * @param {string} key
 * @param {Record<string, string | number>} values
 * @returns {string}
 */
export function fill(key, values) {
  return own(key).replace(/\{([a-z_]+)\}/g, (whole, name) => String(values[name] ?? whole));
}
