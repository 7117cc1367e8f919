/** Legal forms and the state behind a slash say nothing about who it is. */
const LEGAL_FORM =
  /(?<!&)[\s,]+(?:inc|incorporated|llc|l\.l\.c|lp|l\.p|llp|ltd|limited|corp|corporation|co|company|plc|ag|sa|nv|et al)\.?$/i;
const STATE = /\s*[/\\][A-Z]{2,3}[/\\]?$/;
/** Of names in capitals: shorter words are mostly initials, and so are those without a vowel (HSBC). */
const MIN_WORD = 4;
const INITIALS = /^[^AEIOUY]+$/;
/** Words as filers shorten them. */
const SHORTENED = /^(?:HLDGS?|MGMN?T|SVCS?|PTN?RS|PRTNRS?|MKTS|MTRS|CTRS|HLTH)$/;
const SMALL_WORDS: ReadonlySet<string> = new Set(['and', 'of', 'the', 'for', 'de']);
const MAX_NAME = 40;
const CUT_WORD = /\s+\S*$/;
/** What cannot stand at the end of a name that is cut. */
const LOOSE_END = /(?:[\s,&(-]|\s(?:and|of|the|for|de))+$/i;

/** A name as a sentence writes it: `BERKSHIRE HATHAWAY INC` is `Berkshire Hathaway`. */
export function shortName(filed: string): string {
  let name = filed.replace(/\s+/g, ' ').trim();
  for (let before = ''; before !== name; ) {
    before = name;
    name = name.replace(STATE, '').replace(LEGAL_FORM, '') || before;
  }
  if (!/[a-z]/.test(name)) name = name.split(' ').map(inLowerCase).join(' ');
  return name.length <= MAX_NAME
    ? name
    : `${name.slice(0, MAX_NAME).replace(CUT_WORD, '').replace(LOOSE_END, '')}…`;
}

function inLowerCase(word: string, at: number): string {
  const lower = word.toLowerCase();
  if (at > 0 && SMALL_WORDS.has(lower)) return lower;
  if (INITIALS.test(word) && !SHORTENED.test(word)) return word;
  if (word.length < MIN_WORD && !SMALL_WORDS.has(lower) && !/^co\.?$/.test(lower)) return word;
  return lower.replace(
    /(^|[-&.(])([a-z])/g,
    (_, mark: string, letter: string) => mark + letter.toUpperCase(),
  );
}
