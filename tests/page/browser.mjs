// The browser of these scripts. Start them in the folder where the packages of npm are.
import { createRequire } from "node:module";
import path from "node:path";

export const require = createRequire(path.join(process.cwd(), "package.json"));

export function launch(chromium) {
  return require("puppeteer-core").launch({
    executablePath: chromium,
    // The sandbox of Chromium does not work for root or in most containers; the pages are our own.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"],
  });
}
