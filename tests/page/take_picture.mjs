// Takes a picture of the top of a report, for the README.
//   node take_picture.mjs CHROMIUM REPORT.html PICTURE.png HEIGHT
// Start it in the folder where the test has installed its packages.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [chromium, report, picture, height] = process.argv.slice(2);
const browser = await launch(chromium);
const tab = await browser.newPage();
await tab.setViewport({ width: 1100, height: Number(height) });
await tab.goto(pathToFileURL(path.resolve(report)).href, { waitUntil: "load" });
await tab.screenshot({ path: picture });
await browser.close();
