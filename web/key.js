// The key of a server that wants one: asked for when the server refuses, kept as long as the tab.
import { useKey } from "./api.js";
import { byId } from "./dom.js";

const form = byId("key-form"),
  input = byId("key");
const kStored = "eatt-key";
let retry = () => {};

function stored() {
  try {
    return sessionStorage.getItem(kStored) ?? "";
  } catch {
    return ""; // Storage is forbidden.
  }
}

function store(key) {
  try {
    sessionStorage.setItem(kStored, key);
  } catch {
    // The key then lasts as long as the page.
  }
}

/** @param {() => void} again what to do with the key */
export function askForKey(again) {
  retry = again;
  form.hidden = false;
}

export const hideKeyForm = () => (form.hidden = true);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(input.value.trim());
  store(input.value.trim());
  retry();
});
useKey(stored());
