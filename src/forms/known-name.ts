/** The name of an element, met before. A filing has some thirty, each many times. */
export type KnownName = {
  /** One string with the same name in our code, so that both are compared by identity. */
  readonly text: string;
  readonly codes: Uint8Array;
  readonly opened: Place;
  readonly closed: Place;
};

/** A place in a document, by the tag before it, with the name of the element that was opened there last time. */
export type Place = { next: KnownName | null };

const NAME = /^[A-Za-z_][\w.-]*$/;
/** Far more and far longer than those of all forms together. */
const MAX_NAMES = 1_000;
const MAX_NAME_CHARS = 100;
const NAMES = new Map<string, KnownName>();
const encoder = new TextEncoder();
let start: Place = { next: null };

/** The beginning of a document. Here the names of hostile documents are forgotten. */
export function firstPlace(): Place {
  if (NAMES.size >= MAX_NAMES) {
    NAMES.clear();
    start = { next: null };
  }
  return start;
}

/** Null for a text that is not a name without a prefix, for a long one, and for the first one too many. */
export function knownName(text: string): KnownName | null {
  const known = NAMES.get(text);
  if (known !== undefined) return known;
  if (NAMES.size >= MAX_NAMES || text.length > MAX_NAME_CHARS || !NAME.test(text)) return null;
  // As a key of an object: one string with the name in our code, and it keeps no document in memory.
  const [own = text] = Object.keys({ [text]: true });
  const name = { text: own, codes: encoder.encode(own), opened: { next: null }, closed: { next: null } };
  NAMES.set(own, name);
  return name;
}
