// Translates through a server with a client of LibreTranslate that knows nothing of ours.
//   node translate.mjs PACKAGES ADDRESS
import { createRequire } from "node:module";
import assert from "node:assert/strict";

const [packages, address] = process.argv.slice(2);
const { translate } = createRequire(`${packages}/`)("libretranslate");

const ask = (query, source) => translate({ query, source, target: "en", apiurl: address });
const one = await ask("ab cd ef", "zh");
assert.equal(typeof one, "string");
assert.ok(one.length > 0);
assert.deepEqual(await ask(["ab cd ef", "gh"], "zh"), [one, await ask("gh", "zh")]);
assert.equal(await ask("ab cd ef"), one);  // The client says "auto".
console.log(`translated: ${one}`);
