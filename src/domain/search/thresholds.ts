/** Thresholds of the search over names (rule 11.6). All are reasoned: no corpus of queries exists. */

/** Letters of a word from which one typing error is forgiven: shorter words are near too many others. */
export const MIN_LETTERS_FOR_ONE_ERROR = 4;
/** Letters of both words from which two errors are forgiven. */
export const MIN_LETTERS_FOR_TWO_ERRORS = 8;
/** Different words of a query. No name has more, so a longer query is only compared as a whole. */
export const MAX_QUERY_WORDS = 12;
/** Spellings of an issuer that find it. Further ones are rare, and often misspelt. */
export const MAX_SPELLINGS = 4;
/** The weight of a fund is full at 10^14 dollars, and of a security at 10^5 holders: more than exist. */
export const MAX_AUM_DIGITS = 14;
export const MAX_HOLDERS_DIGITS = 5;
