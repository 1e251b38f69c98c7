// What the page does when a server refuses, dawdles or is gone; for the mock server.
import { expect } from "./browser.mjs";

const message = (page, part) =>
  page.waitForFunction(
    (words) => document.getElementById("message").textContent.includes(words),
    part,
  );
const translation = (page, text) =>
  page.waitForFunction((words) => document.getElementById("target").textContent === words, text);

export const failures = {
  "an older reply never replaces a newer one": async ({ page }) => {
    await page.fill("#source", "!slow old");
    await page.waitForTimeout(400); // It has been sent and is not answered yet.
    await page.fill("#source", "new");
    await translation(page, "NEW");
    await page.waitForTimeout(800);
    expect((await page.textContent("#target")) === "NEW", "the newest stays");
  },

  "keys in quick succession make one request": async ({ page }) => {
    await translation(page, "He likes music .");
    const texts = [];
    page.on("request", (request) => {
      const asked = request.postDataJSON();
      if (asked?.alignment) texts.push(asked.text);
    });
    await page.click("#clear");
    // In one go: a busy machine may take longer than the page waits between keys of the test's own.
    await page.evaluate((text) => {
      const area = document.getElementById("source");
      for (const letter of text) {
        area.value += letter;
        area.dispatchEvent(new InputEvent("input", { bubbles: true }));
      }
    }, "one two three");
    await translation(page, "ONE TWO THREE");
    expect(texts.length === 1, `one request, not ${texts.join(" / ")}`);
  },

  "a text that is too long is not sent": async ({ page }) => {
    await page.waitForSelector("#target .word");
    const sent = [];
    page.on("request", (request) => sent.push(request.postDataJSON()?.text));
    const text = "long ".repeat(500);
    await page.fill("#source", text);
    await message(page, "This text has 2,500 characters. The server takes at most 2,000");
    await page.waitForTimeout(400);
    expect(!sent.includes(text), "nothing is sent");
  },

  "a rate limit is explained, and tried again": async ({ page }) => {
    await page.fill("#source", "!429 again");
    await message(
      page,
      "too many requests from you in a short time. The page will try again in 1 second.",
    );
    const again = await page.waitForRequest("**/v1/translate");
    expect(again.postDataJSON().text === "!429 again", "the same text is asked for again");
    await page.fill("#source", "fine");
    await translation(page, "FINE");
    expect(!(await page.locator("#message").isVisible()), "the message is gone");
  },

  "a server that wants a key gets it, once it was asked for": async ({ page }) => {
    await page.fill("#source", "!403 please");
    await message(page, "This server wants a key.");
    await page.fill("#key", "secret");
    await page.keyboard.press("Enter");
    await translation(page, "!403 PLEASE");
    await page.reload();
    await page.fill("#source", "!403 again");
    await translation(page, "!403 AGAIN");
    expect(!(await page.locator("#key-form").isVisible()), "it is not asked for twice");
  },

  "an error of the server is shown in its own words": async ({ page }) => {
    await page.fill("#source", "!500");
    await message(page, "Something inside the server went wrong.");
    expect((await page.textContent("#target")) === "", "the translation of another text is gone");
  },

  "a server that is gone is tried again until it is back": async ({ page }) => {
    await page.waitForSelector("#target .word");
    await page.route("**/v1/translate", (route) => route.abort());
    await page.fill("#source", "hello");
    await message(page, "The server does not answer.");
    await page.unroute("**/v1/translate");
    await translation(page, "HELLO");
  },

  "markup in a text stays text": async ({ page }) => {
    await page.fill("#source", "<img src=x> <b>bold</b>");
    await translation(page, "<IMG SRC=X> <B>BOLD</B>");
    expect(
      (await page.locator("#target img, #target b").count()) === 0,
      "there are no elements of it",
    );
  },

  "lines stay lines, and every sentence keeps its own links": async ({ page }) => {
    await page.fill("#source", "one two\nthree");
    await translation(page, "ONE TWO\nTHREE");
    await page.locator("#target .word").nth(2).hover();
    expect(
      (await page.textContent("#backdrop .linked")) === "three",
      "the third word comes from the third",
    );
    await page.waitForFunction(() =>
      document
        .getElementById("attention-readout")
        .textContent.startsWith("The map shows the first"),
    );
  },

  "another pair of languages has its own examples": async ({ page }) => {
    await page.waitForSelector("#examples button");
    await page.selectOption("#model", "eatt.reverse");
    expect((await page.textContent("#source-language")) === "English", "the text is English now");
    await translation(page, "HE LIKES MUSIC.");
    await page.click("#examples li:nth-child(4) button");
    await translation(page, "TWO DOGS ARE PLAYING IN THE SNOW.");
  },

  "the first chip with prices is shown, and one without says so": async ({ page }) => {
    await page.waitForSelector("#energy .card");
    expect(
      await page.locator("#chips input[value='cmos45']").isChecked(),
      "45 nm has prices for int8",
    );
    await page.check("#chips input[value='asic']", { force: true });
    await page.waitForFunction(
      () =>
        document.querySelector(".verdict").textContent ===
        "ASIC of the paper has no prices for int8: choose another chip.",
    );
  },
};
