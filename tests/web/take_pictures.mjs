// Takes the pictures of docs/page.md.
//   node take_pictures.mjs CHROMIUM FOLDER ADDRESS
// ADDRESS is a running server, best with the model of scripts/demo.sh. Start it in the folder where
// the test has installed its packages.
import path from "node:path";
import { example, launch, open, translate } from "./browser.mjs";

const [chromium, folder, address] = process.argv.slice(2);
const browser = await launch(chromium);

/** A picture from the top of one element to the bottom of another. */
async function take(page, name, first, last) {
  const top = (await page.locator(first).boundingBox()).y;
  const end = await page.locator(last).boundingBox();
  await page.screenshot({
    path: path.join(folder, name),
    fullPage: true,
    clip: { x: 0, y: Math.max(0, top - 24), width: 1100, height: end.y + end.height - top + 48 },
  });
}

async function show(scheme) {
  const { page } = await open(browser, address, { width: 1100, scheme });
  await translate(page, await example(page));
  return page;
}

const light = await show("light");
await light.locator("#target .word").nth(5).click();
await take(light, "page.png", "header", "#attention-scale");
await take(await show("dark"), "page-energy.png", "#energy-title", ".cards");
await browser.close();
