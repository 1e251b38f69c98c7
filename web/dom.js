// Small helpers for elements. Text is always set as text, never as markup.

/** The element of an id. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element: make("p", { class: "note", hidden: true }, "text", child).
 * Attributes that are false, null or undefined are left out; true becomes an empty attribute.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @param {...(Node | string)} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value == null) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

let groups = 0;

/**
 * Fills a fieldset with radio buttons that look like one switch.
 * @param {HTMLElement} fieldset with an empty <div> for the buttons
 * @param {{ value: string, label: string }[]} options none hides the fieldset
 * @param {string} chosen
 * @param {(value: string) => void} choose
 */
export function fillChoice(fieldset, options, chosen, choose) {
  const name = `choice-${++groups}`;
  fieldset.hidden = options.length === 0;
  fieldset.querySelector("div").replaceChildren(
    ...options.map(({ value, label }) => {
      const input = make("input", { type: "radio", name, value, checked: value === chosen });
      input.addEventListener("change", () => choose(value));
      return make("label", {}, input, make("span", {}, label));
    }),
  );
}

/**
 * Lets arrow keys move between elements of which one at a time is in the tab order.
 * @param {HTMLElement} container whose elements with `data-stop` are the stops
 * @param {(stop: HTMLElement, key: string) => HTMLElement | null | undefined} next
 */
export function moveByArrows(container, next) {
  container.addEventListener("keydown", (event) => {
    const stop = event.target.closest("[data-stop]");
    const to = stop && !event.altKey && !event.ctrlKey && !event.metaKey && next(stop, event.key);
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
  container.addEventListener("focusin", (event) => {
    const stop = event.target.closest("[data-stop]");
    if (!stop) return;
    container.querySelectorAll('[data-stop][tabindex="0"]').forEach((old) => (old.tabIndex = -1));
    stop.tabIndex = 0;
  });
}
