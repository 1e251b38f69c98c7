// Copies the translation, or a link that opens the page with the same text. The text is behind the #,
// which browsers never send to a server.

/** @returns {{ text?: string, model?: string }} what the address asks for */
export function readLink() {
  const values = new URLSearchParams(location.hash.slice(1));
  return { text: values.get("text") ?? undefined, model: values.get("model") ?? undefined };
}

/** Calls `use` with what the address asks for whenever it changes. */
export const onLink = (use) => window.addEventListener("hashchange", () => use(readLink()));

/** @param {string} text @param {string} model */
export function linkTo(text, model) {
  const url = new URL(location.href);
  url.hash = new URLSearchParams({ text, model }).toString();
  return url.href;
}

/** Copies, and lets the button say so. @param {HTMLButtonElement} button @param {string} text */
export async function copyFrom(button, text) {
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  button.textContent = (await copied(text)) ? "Copied" : "Not copied";
  setTimeout(() => (button.textContent = label), 1500);
}

/** @param {string} text */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text); // Without https there is no clipboard, except on localhost.
  }
}

function copiedBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "hidden";
  document.body.append(area);
  const focused = document.activeElement;
  area.select();
  const worked = document.execCommand("copy");
  area.remove();
  focused?.focus();
  return worked;
}
