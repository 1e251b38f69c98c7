// Drives the page in headless Chromium as a reader would.
//   node check_web.mjs CHROMIUM PICTURES WEB-FOLDER [ADDRESS]
// Without ADDRESS a mock server shows the page of WEB-FOLDER; with it, a running eatt-serve does. At
// 1280 and 400 pixels, in light and dark, it fails on serious or critical findings of axe-core, a page
// wider than its window, messages on the console and requests to other places; then come the tests of
// behavior.mjs at both widths, and with the mock server those of failures.mjs. Pictures are left in
// PICTURES.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { behavior } from "./behavior.mjs";
import { accessProblems, example, launch, open, translate, widthProblems } from "./browser.mjs";
import { failures } from "./failures.mjs";
import { startMock } from "./mock_server.mjs";

const [chromium, pictures, folder, address] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const mock = address ? null : await startMock(folder);
const url = address ?? `http://127.0.0.1:${mock.address().port}/`;
const browser = await launch(chromium);
let failed = 0,
  passed = 0;

function report(name, problems) {
  problems.forEach((problem) => console.log(`${name}: ${problem}`));
  if (problems.length > 0) ++failed;
  else ++passed;
}

/** The whole page, with a highlighted word. */
async function checkLook(width, scheme) {
  const name = `${mock ? "mock" : "server"}-${width}-${scheme}`;
  const { page, problems } = await open(browser, url, { width, scheme });
  try {
    await translate(page, await example(page));
    await page.locator("#target .word").nth(1).hover();
    await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage: true });
    problems.push(...(await widthProblems(page, width)));
    // A map of many words scrolls inside the page.
    await translate(page, `${await example(page)} `.repeat(4));
    problems.push(...(await widthProblems(page, width)));
    // What is folded away is checked, too.
    await page.evaluate(() =>
      document.querySelectorAll("details").forEach((one) => (one.open = true)),
    );
    problems.push(...(await widthProblems(page, width)), ...(await accessProblems(page)));
    await page.click("#show-shortcuts");
    problems.push(...(await widthProblems(page, width)), ...(await accessProblems(page)));
  } catch (error) {
    problems.push(error.message);
  }
  await page.context().close();
  report(name, problems);
}

/** A test of its own page. A refusal leaves a message on the console, which is no problem then. */
async function check(name, test, { width = 1280, refusals = false } = {}) {
  const { page, problems } = await open(browser, url, { width });
  let found = [];
  try {
    await test({ page, browser, url });
    found = refusals
      ? problems.filter((one) => !one.includes("Failed to load resource"))
      : problems;
  } catch (error) {
    found = [...problems, error.message];
    await page.screenshot({ path: path.join(pictures, `failed-${failed}.png`) }).catch(() => {});
  }
  await page.context().close();
  report(name, found);
}

for (const width of [1280, 400]) {
  for (const scheme of ["light", "dark"]) await checkLook(width, scheme);
  for (const [name, test] of Object.entries(behavior))
    await check(`${name}, at ${width} pixels`, test, { width });
}
if (mock)
  for (const [name, test] of Object.entries(failures)) await check(name, test, { refusals: true });
await browser.close();
mock?.close();
console.log(`${passed} passed, ${failed} failed (${mock ? "mock server" : address})`);
process.exit(failed === 0 ? 0 : 1);
