// Light or dark: as the system says, until the reader chooses; the choice is remembered.
import { recall, remember } from "./storage.js";

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : systemIsDark.matches;
}

function showState() {
  document.getElementById("theme")?.setAttribute("aria-pressed", String(isDark()));
}

export function toggleTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  remember("theme", root.dataset.theme);
  showState();
}

const remembered = recall("theme");
if (remembered === "light" || remembered === "dark") root.dataset.theme = remembered;
systemIsDark.addEventListener("change", showState);
// This module runs before the page is shown, so that it never flashes in the other theme.
document.addEventListener("DOMContentLoaded", () => {
  showState();
  document.getElementById("theme").addEventListener("click", toggleTheme);
});
