// Choices that outlive the page. Storage may be forbidden; they then last as long as the page.

/** @param {string} key @returns {string | null} */
export function recall(key) {
  try {
    return localStorage.getItem(`eatt-${key}`);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(`eatt-${key}`, value);
  } catch {
    // Not remembered.
  }
}
