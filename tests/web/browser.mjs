// A page in headless Chromium, and what may be wrong with it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

// The packages are in the build folder, where the test is started.
const require = createRequire(path.join(process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** @param {string} executablePath */
export const launch = (executablePath) =>
  chromium.launch({
    executablePath,
    // The sandbox of Chromium does not work for root or in most containers; the page is our own.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"],
  });

/**
 * Opens an address in a profile of its own. `problems` collects messages on the console, where
 * breaches of the content security policy show up too, and requests to other places.
 */
export async function open(browser, url, { width = 1280, scheme = "light" } = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const problems = [];
  page.on("console", (message) => problems.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) problems.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  return { page, problems };
}

/** Waits until translation, map and energy of a text are there. */
export async function translate(page, text) {
  await page.fill("#source", "");
  await page.fill("#source", text);
  await page.waitForSelector("#target .word");
  await page.waitForSelector("#attention-map td[data-row]");
  await page.waitForSelector("#energy .card");
}

/** The second example: several words, in another order than their translation. */
export async function example(page) {
  await page.waitForSelector("#examples button");
  return page.locator("#examples button").nth(1).textContent();
}

export function expect(truth, sentence) {
  if (!truth) throw new Error(sentence);
}

export async function widthProblems(page, width) {
  const needed = await page.evaluate(() => document.documentElement.scrollWidth);
  return needed > width ? [`is ${needed} pixels wide in a window of ${width}`] : [];
}

export async function accessProblems(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => (await window.axe.run(document)).violations);
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, impact, help, nodes }) =>
        `axe-core: ${id} (${impact}): ${help}: ${nodes
          .slice(0, 3)
          .map((node) => node.html.slice(0, 160))
          .join(" | ")}`,
    );
}
