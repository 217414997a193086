/** Decodes percent-encoded text. Invalid encodings stay as they are. */
export function decodeUriText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Parses JSON. Undefined for invalid JSON. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
