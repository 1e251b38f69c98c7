// What the page does with any server that has a model. Each test gets a page of its own.
import { example, expect, open, translate } from "./browser.mjs";

/** How many elements match. */
const count = (page, selector) => page.locator(selector).count();

/** The number of a target word that has source words, and its span. */
async function linkedWord(page, point) {
  const words = page.locator("#target .word");
  for (let i = 0; i < (await words.count()); ++i) {
    await point(words.nth(i));
    if ((await count(page, "#backdrop .linked")) > 0) return words.nth(i);
  }
  throw new Error("no word of the translation has source words");
}

async function tabTo(page, selector) {
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((one) => document.activeElement.matches(one), selector)) return;
  }
  throw new Error(`the Tab key does not lead to ${selector}`);
}

export const behavior = {
  "typing gives a translation, which screen readers hear": async ({ page }) => {
    const text = await example(page);
    await page.click("#clear");
    expect((await page.textContent("#target")) === "", "an empty text has no translation");
    await page.keyboard.type(text, { delay: 10 });
    await page.waitForSelector("#target .word");
    await page.waitForFunction(
      () =>
        document.getElementById("spoken").textContent ===
        document.getElementById("target").textContent,
    );
    expect((await page.textContent("#spoken")) !== "", "the translation is spoken");
  },

  "pointing at a word highlights its counterparts on the other side": async ({ page }) => {
    await translate(page, await example(page));
    const word = await linkedWord(page, (one) => one.hover());
    expect((await count(page, "#target .on")) === 1, "the word itself is highlighted");
    expect(
      (await page.textContent("#about-word")).startsWith(await word.textContent()),
      "the line below names it",
    );
    const box = await page.locator("#backdrop .linked").first().boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    expect((await count(page, "#backdrop .on")) === 1, "the source word is highlighted");
    expect((await count(page, "#target .linked")) > 0, "its translations are highlighted");
    await page.mouse.move(2, 2);
    expect((await count(page, ".word.on")) === 0, "nothing is highlighted any more");
  },

  "everything works by keyboard": async ({ page }) => {
    const text = await example(page);
    await tabTo(page, "#source");
    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete"); // The map of the first text is gone now.
    await page.keyboard.insertText(text);
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector("#energy .card");
    await page.waitForSelector("#attention-map td[data-row]");
    await page.keyboard.press("Home");
    expect((await count(page, "#backdrop .on")) === 1, "the word at the caret is highlighted");
    await tabTo(page, "#target .word");
    await page.keyboard.press("ArrowRight");
    expect(
      (await page.getAttribute("#target .on", "data-word")) === "1",
      "an arrow key goes to the next word",
    );
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(
      (await page.getAttribute("#target .on", "aria-pressed")) === "true",
      "Enter keeps the highlight",
    );
    await tabTo(page, "#attention-map td");
    await page.keyboard.press("ArrowDown");
    expect(
      /: [01]\.\d\d$/.test(await page.textContent("#attention-readout")),
      "the map tells the value of a cell",
    );
    await tabTo(page, "#chips input");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Alt+Shift+KeyK");
    expect(await page.locator("#shortcuts").isVisible(), "the list of shortcuts opens");
    await page.keyboard.press("Escape");
    expect(!(await page.locator("#shortcuts").isVisible()), "and closes");
  },

  "layers and heads change the map": async ({ page }) => {
    await translate(page, await example(page));
    const strengths = () =>
      page.$$eval("#attention-map td[data-row]", (cells) =>
        cells.map((cell) => cell.style.getPropertyValue("--strength")).join(),
      );
    const seen = new Set([await strengths()]);
    await page.check("#heads input[value='0']", { force: true });
    seen.add(await strengths());
    await page.check("#layers input[value='0']", { force: true });
    seen.add(await strengths());
    expect(seen.size === 3, "a head, another layer and the mean all differ");
  },

  "another chip changes the energy and is remembered": async ({ page }) => {
    await translate(page, await example(page));
    const other = page.locator("#chips input:not(:checked)").first();
    const name = await other.getAttribute("value");
    const before = await page.textContent("#energy");
    await other.check({ force: true });
    await page.waitForFunction(
      (old) => document.getElementById("energy").textContent !== old,
      before,
    );
    await page.reload();
    await page.waitForSelector("#energy .card");
    expect(
      await page.locator(`#chips input[value="${name}"]`).isChecked(),
      "the chip is remembered",
    );
  },

  "words are found whole and near, and in scripts without spaces": async ({ page }) => {
    const found = (text, words) =>
      page.evaluate(
        async ([all, some]) => {
          const { writeWords } = await import("./words.js");
          const element = document.createElement("p");
          const spans = writeWords(element, all, some);
          const begin = (span) => {
            let at = 0;
            for (const node of element.childNodes) {
              if (node === span) return at;
              at += node.textContent.length;
            }
          };
          return [element.textContent, ...spans.map((span) => (span ? begin(span) : "-"))].join();
        },
        [text, words],
      );
    const cases = [
      ["an apple, a plum", ["a", "plum"], "10,12"],
      ["ROTHAUS is an old house", ["a", "house", "is", "old"], "-,18,-,-"],
      ["The cat sat.", ["The", "at", "cat", "sat", "."], "0,-,4,8,11"],
      ["don't, can't", ["do", "n't", ",", "ca", "n't"], "0,2,5,7,9"],
      ["我喜欢音乐。", ["我", "喜欢", "音乐", "。"], "0,1,3,5"],
      [`x ${"long ".repeat(40)}end`, ["x", "end"], "0,-"],
    ];
    for (const [text, words, places] of cases) {
      const result = await found(text, words);
      expect(result === `${text},${places}`, `${text}: ${result.slice(text.length)}`);
    }
  },

  "what is translated says in which language it is": async ({ page }) => {
    await translate(page, await example(page));
    const [own, other] = await page.evaluate(() =>
      ["source", "target"].map((id) => document.getElementById(id).lang),
    );
    expect(own !== other && own !== "" && other !== "", "text and translation have languages");
    for (const id of ["spoken", "alternatives-list"])
      expect((await page.getAttribute(`#${id}`, "lang")) === other, `#${id} is in ${other}`);
    const label = await page.textContent("#source-language");
    expect(
      (await page.getByRole("textbox", { name: `Text in ${label}` }).count()) === 1,
      "the name of the text area says its language",
    );
  },

  "the theme changes and is remembered": async ({ page }) => {
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await color();
    await page.click("#theme");
    const dark = await color();
    expect(light !== dark, "the colors change");
    await page.reload();
    expect((await color()) === dark, "the theme is remembered");
    await page.keyboard.press("Alt+Shift+KeyT");
    expect((await color()) === light, "a key switches it back");
  },

  "translation and link can be copied, and the link opens the same text": async ({
    page,
    browser,
    url,
  }) => {
    const text = await example(page);
    await translate(page, text);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.click("#copy");
    await page.waitForFunction(() => document.getElementById("copy").textContent === "Copied");
    expect(
      (await clipboard()) === (await page.textContent("#target")),
      "the translation is copied",
    );
    await page.click("#link");
    await page.waitForFunction(() => document.getElementById("link").textContent === "Copied");
    const other = await open(browser, url);
    await other.page.goto("about:blank");
    await other.page.goto(await clipboard());
    await other.page.waitForSelector("#target .word");
    expect((await other.page.inputValue("#source")) === text, "the link has the text");
    // Links to another text work in a page that is open, and so does the one that skips to it.
    await other.page.evaluate((value) => (location.hash = `text=${value}`), `${text} ${text}`);
    await other.page.waitForFunction(
      (value) => document.getElementById("source").value === value,
      `${text} ${text}`,
    );
    await other.page.evaluate(() => (location.hash = "source"));
    await other.page.waitForTimeout(100);
    expect(
      (await other.page.inputValue("#source")) === `${text} ${text}`,
      "a link inside the page leaves the text",
    );
    await other.page.context().close();
  },
};
