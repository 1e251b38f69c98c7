// Numbers and names as people read them.

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const exactly3 = new Intl.NumberFormat("en", {
  minimumSignificantDigits: 3,
  maximumSignificantDigits: 3,
});
const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

const kUnits = [
  [1, "J"],
  [1e-3, "mJ"],
  [1e-6, "µJ"],
  [1e-9, "nJ"],
  [1e-12, "pJ"],
];

/** 0.0000434 → "43.4 µJ". @param {number} joules */
export function energy(joules) {
  const [size, unit] = kUnits.find(([least]) => joules >= least) ?? kUnits[kUnits.length - 1];
  return `${number.format(joules / size)} ${unit}`;
}

/** 82.517 → "82.5 %". @param {number} value */
export const percent = (value) => `${exactly3.format(value)} %`;

/** 1234567 → "1,234,567". @param {number} value */
export const count = (value) => whole.format(value);

/** 1234567 → "1.23M". @param {number} value */
export const roughly = (value) => compact.format(value);

/** 40.27 → "40.3 ×". @param {number} value */
export const times = (value) => `${number.format(value)} ×`;

/** 4.234 → "4.23 ms". @param {number} value */
export const milliseconds = (value) => `${number.format(value)} ms`;

/** "zh" → "Chinese"; an unknown code stays as it is. @param {string} code @param {string} unknown */
export function language(code, unknown) {
  if (!code || code === "und") return unknown;
  try {
    return languages.of(code) ?? code;
  } catch {
    return code; // Not the form of a language code.
  }
}

/** @param {string} text */
export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Characters as the server counts them: code points. @param {string} text */
export const characters = (text) => [...text].length;
