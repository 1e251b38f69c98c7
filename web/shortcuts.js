// Keys that work anywhere on the page, and the list of them.
import { byId, make } from "./dom.js";

/**
 * @typedef {{ keys: string, does: string, code: string, control?: boolean, run: () => void }} Shortcut
 *   with Alt and Shift, or with Control (⌘ on a Mac) if `control`: never a letter alone, which
 *   would get in the way of typing and of speech input
 */

/** @param {KeyboardEvent} event @param {Shortcut} shortcut */
function matches(event, { code, control }) {
  if (event.code !== code) return false;
  return control ? event.ctrlKey || event.metaKey : event.altKey && event.shiftKey;
}

/** @param {Shortcut[]} shortcuts */
export function setShortcuts(shortcuts) {
  const dialog = byId("shortcuts");
  const all = [
    ...shortcuts,
    { keys: "Alt Shift K", does: "Show this list", code: "KeyK", run: () => dialog.showModal() },
  ];
  const others = [
    { keys: "← →", does: "In the translation: next word and its source" },
    { keys: "← ↑ ↓ →", does: "In the map: next cell and its value" },
  ];
  dialog
    .querySelector("dl")
    .replaceChildren(
      ...[...all, ...others].map(({ keys, does }) =>
        make(
          "div",
          {},
          make("dt", {}, ...keys.split(" ").map((key) => make("kbd", {}, key))),
          make("dd", {}, does),
        ),
      ),
    );
  byId("show-shortcuts").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    const shortcut = all.find((one) => matches(event, one));
    if (!shortcut || dialog.open) return;
    event.preventDefault();
    shortcut.run();
  });
}
