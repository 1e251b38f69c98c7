// The two addresses of the server that the page uses; docs/serving.md describes them.

/**
 * @typedef {{ name: string, source: string, target: string, precision: string, parameters: number,
 *   layers: { encoder: number, decoder: number }, width: number, heads: number,
 *   attention: { encoder_self: string, decoder_self: string, cross: string },
 *   vocabulary: number }} Model
 * @typedef {{ name: string, title: string }} Chip
 * @typedef {{ models: Model[], chips: Chip[], limits: Record<string, number>, version: string }} Server
 * @typedef {{ source_words: string[], target_words: string[], alignment?: [number, number][],
 *   word_scores?: number[] }} Sentence
 * @typedef {{ source_pieces: string[], target_pieces: string[], layers: number, heads: number,
 *   weights: number[][][][] }} Attention weights[layer][head][target piece][source piece]
 * @typedef {{ add: number, multiply: number }} Operations
 * @typedef {{ name: string, precision: string, arithmetic: number | null, memory: number | null,
 *   operations: Operations }} ModelEnergy joules
 * @typedef {{ alignment_percent: number, attention_percent: number,
 *   model_percent?: number }} Accounting percent of vanilla attention
 * @typedef {{ chip: string, title: string, models: ModelEnergy[],
 *   accountings: { exact: Accounting, paper: Accounting },
 *   operations: Operations }} Energy
 * @typedef {{ text: string, score: number, finished: boolean, sentences?: Sentence[],
 *   alternatives?: { text: string, score: number }[], attention?: Attention }} Translation
 * @typedef {{ model: string, translations: Translation[], energy?: Energy,
 *   milliseconds: number }} Reply
 */

/** What the server refused, or that it did not answer (`status` 0). */
export class ApiError extends Error {
  /** @param {string} message @param {{ status: number, code?: string, retryAfter?: number }} about */
  constructor(message, { status, code = "", retryAfter = 0 }) {
    super(message);
    Object.assign(this, { status, code, retryAfter });
  }
}

let key = "";

/** @param {string} next what the server's operator gave the reader; empty: none */
export const useKey = (next) => (key = next);

/** @param {Response} response */
async function errorOf(response) {
  const body = await response.json().catch(() => ({}));
  return new ApiError(body.error ?? `The server answered ${response.status}.`, {
    status: response.status,
    code: body.code,
    retryAfter: Number(response.headers.get("Retry-After")) || 0,
  });
}

/** @param {string} path @param {RequestInit} options */
async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError("The server does not answer.", { status: 0 });
  }
  if (!response.ok) throw await errorOf(response);
  return response.json();
}

/** @returns {Promise<Server>} */
export const getServer = () => ask("v1/models", {});

/** @param {object} request @param {AbortSignal} signal @returns {Promise<Reply>} */
export const translate = (request, signal) =>
  ask("v1/translate", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
    body: JSON.stringify(request),
    signal,
  });
