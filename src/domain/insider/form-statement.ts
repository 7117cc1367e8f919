import type { Ownership } from '../filing/filing.ts';

const SENTENCE_END = /(?<=[.;])\s+(?=[("A-Z])/;
/** `The sales reported on this Form 4`; not `options to purchase shares reported herein`. */
const ON_THIS_FORM =
  /\b(?<!\bto\s)(?:transactions?|trades?|sales?|purchases?|dispositions?|acquisitions?|sold|purchased)\s+(?:[\w()]+\s+){0,3}?(?:reported|disclosed|described|shown|listed|reflected|set forth)\s+(?:(?:in|on|by)\s+this\s+(?:form|report|filing|statement)\b|herein\b)/i;
/** `Certain transactions`, `none of the sales`, `may be sold`, though not `May 28`: not what happened to all of them. */
const NOT_ALL =
  /\b(?:certain|some|several|other than|except|excluding|portion|part(?:ly|ially)?|not all|respective(?:ly)?|only|primarily|no|none|neither|may(?!\s+(?:of\s+)?\d)|will|intends?|footnotes?)\b/i;

/**
 * Sentences that speak of every transaction of the form: of its remarks, which belong to no row, and of the
 * footnotes that name the form itself.
 */
export function formStatements({ remarks, footnotes }: Pick<Ownership, 'remarks' | 'footnotes'>): string[] {
  const ofNotes = footnotes.flatMap(({ text }) =>
    text.split(SENTENCE_END).filter((one) => ON_THIS_FORM.test(one)),
  );
  return [...remarks.split(SENTENCE_END), ...ofNotes].filter((sentence) => !NOT_ALL.test(sentence));
}
