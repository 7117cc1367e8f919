const CURRENCY = /(?:(?:us|c|cdn|a|hk)?\$|usd|cad|eur|gbp|nis|rmb|€|£)/.source;
/** Without a currency a number may mean something else, unless it is a fraction of one. */
const AMOUNT = `(?:${CURRENCY} ?[\\d.]+|(?<![\\d.])0?\\.\\d+(?![\\d.%]))`;
/** `$0.01 par value`, `par value $.01 per share`, `no par value`, `nominal value EUR 0.01`. */
const PAR_VALUE = new RegExp(
  `(?:${AMOUNT}|\\bno|\\bwithout)? ?\\b(?:par(?: val(?:ue)?)?|nominal value)\\b` +
    `(?: of)?(?: ${AMOUNT})?(?: (?:per|a|each) share| each)?`,
  'g',
);

/** Titles are typed by hand: case, dots, blanks and the par value make no other security. */
export function securityKey(title: string): string {
  return withoutParValue(title).replace(/[^a-z0-9]/g, '');
}

/** In lower case: `ordinary shares` of `Ordinary Shares, par value EUR 0.10`. */
export function withoutParValue(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').replace(PAR_VALUE, '');
}
