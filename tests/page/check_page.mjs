// Opens pages in headless Chromium as a reader would: at 1280 and 400 pixels, in light and dark, and
// on paper.
//   node check_page.mjs CHROMIUM PICTURES PAGE.html...
// Fails on serious or critical findings of axe-core, on a page that is wider than its window, on
// messages on the console, and on any request other than for the page itself. Pictures of the pages
// are left in the folder PICTURES.
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch, require } from "./browser.mjs";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const PAPER = 658; // Pixels between the margins of A4.

const [chromium, pictures, ...pages] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });

async function widthProblems(tab, width) {
  const needed = await tab.evaluate(() => document.documentElement.scrollWidth);
  return needed > width ? [`is ${needed} pixels wide in a window of ${width}`] : [];
}

async function accessProblems(tab) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(async () => (await window.axe.run(document)).violations);
  return found
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `axe-core: ${one.id} (${one.impact}): ${one.help}: ${one.nodes.slice(0, 3)
      .map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

async function problemsOf(browser, file, width, scheme) {
  const url = pathToFileURL(path.resolve(file)).href;
  const tab = await browser.newPage();
  const problems = [];
  tab.on("console", (message) => problems.push(`console: ${message.text()}`));
  tab.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  tab.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:"))
      problems.push(`asks for ${request.url()}`);
  });
  // Scripts of the page stay forbidden; axe-core is put in beside its policy.
  await tab.setBypassCSP(true);
  await tab.setViewport({ width, height: 900 });
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await tab.goto(url, { waitUntil: "load" });
  const name = `${path.basename(file, ".html")}-${width}-${scheme}`;
  await tab.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
  problems.push(...(await widthProblems(tab, width)));
  // What is folded away is checked, too.
  await tab.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  problems.push(...(await widthProblems(tab, width)), ...(await accessProblems(tab)));
  await tab.close();
  return problems.map((problem) => `${name}: ${problem}`);
}

/** What is wider than a sheet is shrunk or cut off by the browser. */
async function problemsOnPaper(browser, file) {
  const tab = await browser.newPage();
  await tab.setViewport({ width: PAPER, height: 900 });
  await tab.emulateMediaType("print");
  await tab.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: "load" });
  const name = `${path.basename(file, ".html")}-paper`;
  await tab.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
  const problems = await widthProblems(tab, PAPER);
  await tab.close();
  return problems.map((problem) => `${name}: ${problem}`);
}

const browser = await launch(chromium);
let failed = 0;
for (const file of pages) {
  const problems = await problemsOnPaper(browser, file);
  problems.forEach((problem) => console.log(problem));
  failed += problems.length;
  for (const width of [1280, 400]) {
    for (const scheme of ["light", "dark"]) {
      const problems = await problemsOf(browser, file, width, scheme);
      problems.forEach((problem) => console.log(problem));
      failed += problems.length;
    }
  }
}
await browser.close();
console.log(failed === 0 ? `${pages.length} pages: no problems` : `${failed} problems`);
process.exit(failed === 0 ? 0 : 1);
