/** Elements of a page: found by their id, and made. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * @param {string} tag
 * @param {string} [name] Class.
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function make(tag, name = "", ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

/** @param {Element | null} element @param {string} text Written only when it is another: readers of the screen hear changes. */
export function write(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}
