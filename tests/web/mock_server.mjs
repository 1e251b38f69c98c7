// A server that answers as eatt-serve does, for tests of the page alone.
//   node mock_server.mjs WEB-FOLDER [PORT]
// Prints its address. Texts that begin with a mark get special answers: "!429", "!503", "!500" that
// error, "!slow" the usual one after a while, "!403" the usual one for those with the key "secret".
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { kServer, replyTo } from "./mock_data.mjs";

const kTypes = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};
const kErrors = {
  "!429": [429, "rate_limited", "Too many requests from this address."],
  "!503": [503, "queue_full", "The queue is full."],
  "!500": [500, "internal", "Something inside the server went wrong."],
};
const kKeys = [
  "text",
  "model",
  "source",
  "target",
  "format",
  "beam_size",
  "n_best",
  "length_penalty",
  "alignment",
  "word_scores",
  "attention",
  "energy",
  "glossary",
];

function send(response, status, value, headers = {}) {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify(value));
}

async function sendFile(folder, name, response) {
  const file = path.join(folder, path.basename(name === "/" ? "index.html" : name));
  const text = await readFile(file).catch(() => null);
  if (!text) return send(response, 404, { error: `There is no ${name}.`, code: "not_found" });
  response.writeHead(200, {
    "Content-Type": kTypes[path.extname(file)],
    "Content-Security-Policy": "default-src 'self'; style-src 'self'",
  });
  response.end(text);
}

async function translate(request, response) {
  let body = "";
  for await (const part of request) body += part;
  const asked = JSON.parse(body);
  const unknown = Object.keys(asked).find((key) => !kKeys.includes(key));
  if (unknown)
    return send(response, 400, { error: `Unknown key '${unknown}'.`, code: "unknown_key" });
  if ([...asked.text].length > kServer.limits.characters)
    return send(response, 413, { error: "The text is too long.", code: "text_too_long" });
  const [mark] = asked.text.split(" ");
  if (kErrors[mark]) {
    const [status, code, error] = kErrors[mark];
    return send(response, status, { error, code }, { "Retry-After": "1" });
  }
  if (mark === "!403" && request.headers.authorization !== "Bearer secret")
    return send(response, 403, { error: "Invalid API key.", code: "forbidden" });
  await new Promise((resolve) => setTimeout(resolve, mark === "!slow" ? 700 : 5));
  send(response, 200, replyTo(asked));
}

/**
 * @param {string} folder of the page
 * @param {number} port 0: any
 * @returns {Promise<import("node:http").Server>}
 */
export function startMock(folder, port = 0) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://mock");
    if (pathname === "/v1/models") return send(response, 200, kServer);
    if (pathname === "/v1/translate") return translate(request, response);
    return sendFile(folder, pathname, response);
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(server)));
}

if (process.argv[1] === import.meta.filename) {
  const server = await startMock(process.argv[2], Number(process.argv[3] ?? 0));
  console.log(`http://127.0.0.1:${server.address().port}/`);
}
