import { dollars, grouped, shortName } from '../../domain/brief/words/numbers.ts';
import type { Brief, Evidence } from '../../domain/wire/brief.ts';
import { type Html, html } from '../html.ts';

/** `net_buying` as `net buying`. */
export function words(code: string): string {
  return code.replaceAll('_', ' ');
}

/** The headline without its ticker, which the page shows above it. */
export function afterColon(headline: string): string {
  const rest = headline.slice(headline.indexOf(': ') + 2);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** A name as the headline writes it. EDGAR's own is in capitals. */
export const named = shortName;

/** `-142100` as `−142,100`, and a rise with its plus. */
export function signedShares(shares: string): string {
  if (shares === '0') return shares;
  return shares.startsWith('-') ? `−${grouped(shares.slice(1))}` : `+${grouped(shares)}`;
}

/** Dollars as the headline writes them; a dash where the amount is not known. */
export function usd(value: number | null): string {
  if (value === null) return '–';
  return `${value < 0 ? '−' : ''}${dollars(value)}`;
}

/** The filings of a brief by their ids. */
export type Filings = ReadonlyMap<string, Evidence>;

export function filingsOf({ evidence }: Pick<Brief, 'evidence'>): Filings {
  return new Map(evidence.map((filing) => [filing.evidence_id, filing]));
}

/** A number as a link to the filing that it was read from; plain where the brief does not list the filing. */
export function proven(value: Html | string, filing: Evidence | undefined): Html {
  if (filing === undefined) return html`${value}`;
  const { human_url, form_type, accession_number } = filing;
  return html`<a href="${human_url}" title="${form_type} ${accession_number}">${value}</a>`;
}

/** `5699456100000` cents as `$57.0 bn`. */
export function usdOfCents(cents: string): string {
  return dollars(Number(BigInt(cents) / 100n));
}
