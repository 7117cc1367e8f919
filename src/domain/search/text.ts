/**
 * Names and queries as words that can be compared. Case, accents, width, punctuation and ligatures
 * do not count (NFKD); `AT&T`, `O'Reilly`, `J.P. Morgan` and `S & P` become `att`, `oreilly`,
 * `jp morgan` and `sp`. Folding twice changes nothing.
 */

/** Letters that NFKD does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};
const OTHER_LETTER = /[øłđðþæœı]/g;
/** Joins two letters or fewer: `PG&E`, but `Marsh&McLennan` is two words. */
const SHORT_AMPERSAND = /(?<![\p{L}\p{N}])(\p{L}{1,2})&(\p{L}{1,2})(?![\p{L}\p{N}])/gu;
/** Most names need no decomposition. */
const PLAIN = /^[\x20-\x7e]*$/;
const APOSTROPHE = /['‘’ʼ`]/g;
const NO_WORD = /[^\p{L}\p{N}]+/u;
/** Replaces `&`, which is no word either. */
const DROPPED = new Set(['and']);

/**
 * Legal forms and the usual words in names of managers. They match like other words, but they never
 * decide the rank. At the end of a name they are not compared.
 */
const WEAK = new Set(
  (
    'inc incorporated corp corporation co cos company companies llc llp lp ltd limited plc sa ag nv se spa ' +
    'ab asa gmbh trust holdings holding hldgs hldg group grp management mgmt capital cap partners advisors ' +
    'advisers associates del new cl com'
  ).split(' '),
);

/** The words of a text, in its order; none when it has no letter or digit. */
export function wordsOf(text: string): string[] {
  const plain = fold(text).replace(APOSTROPHE, '').replace(SHORT_AMPERSAND, '$1$2');
  return joinInitials(plain.split(NO_WORD).filter(isKept)).filter(isKept);
}

const isKept = (word: string): boolean => word !== '' && !DROPPED.has(word);

function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/\p{M}/gu, '');
  // Through upper case, where `ß` becomes `SS`. Lower case first, because `ẞ` is upper case already.
  const lower = bare.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
  return lower.replace(OTHER_LETTER, (letter) => LETTERS[letter] ?? letter);
}

/** `j`, `p`, `morgan` is `jp`, `morgan`. */
function joinInitials(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isRun = false;
  for (const word of words) {
    const isInitial = word.length === 1 && word >= 'a' && word <= 'z';
    if (isInitial && isRun) joined.push(`${joined.pop()}${word}`);
    else joined.push(word);
    isRun = isInitial;
  }
  return joined;
}

export function isWeak(word: string): boolean {
  return WEAK.has(word);
}

/**
 * The words without a leading `the` and without weak words at the end; the first word always stays.
 * `Greenlight Capital, Inc.` is `greenlight`, `Capital One Corp` is `capital one`.
 */
export function coreOf(words: readonly string[]): readonly string[] {
  const start = words.length > 1 && words[0] === 'the' ? 1 : 0;
  let end = words.length;
  while (end > start + 1 && isWeak(words[end - 1] ?? '')) end -= 1;
  return words.slice(start, end);
}

/** The words that a name must have: the strong ones, or all if there are only weak ones. */
export function requiredOf(words: readonly string[]): readonly string[] {
  const strong = words.filter((word) => !isWeak(word));
  return [...new Set(strong.length > 0 ? strong : words)];
}
