import { type Cik, type QuarterEnd, requireCik } from '../ids.ts';
import { previousQuarterEnd, quarterEndOf } from '../quarter.ts';

/**
 * The persons known to run a fund's portfolio. Kept by hand: a 13F names only its signer, who is not a portfolio manager (rule 1.2).
 * An entry needs a source that a reader can open.
 */
const CURATED: Readonly<Record<string, { readonly name: string; readonly source: string }>> = {
  '0001067983': { name: 'Warren Buffett', source: 'https://www.berkshirehathaway.com/letters/letters.html' },
  '0001079114': { name: 'David Einhorn', source: 'https://www.greenlightcapital.com/' },
};

/** Null for a manager that is not on the list. */
export function curatedManagerOf(cik: Cik) {
  return CURATED[cik] ?? null;
}

/**
 * Managers that continue under a new CIK what another CIK filed before, with the quarters that may be the
 * first one under it. Each entry has a source.
 */
export const SUCCESSIONS = [
  {
    cik: requireCik('0002012383'),
    predecessor: requireCik('0001364742'),
    name: 'BlackRock, Inc.',
    // The new holding company replaced the old one on 2024-10-01, within the filing window of 2024-09-30.
    firstQuarterEnds: [quarterEndOf(2024, 3), quarterEndOf(2024, 4)],
    source: 'https://github.com/toddwschneider/sec-13f-filings/issues/18',
  },
];

/**
 * The manager whose report for the quarter before is the prior report when this one has none. Form 13F does
 * not record successions: without this, both sides would show only exits and new positions (rule 5.7). Null
 * when no succession is listed.
 */
export function predecessorOf(cik: Cik, quarterEnd: QuarterEnd): Cik | null {
  const found = SUCCESSIONS.find((one) => one.cik === cik && one.firstQuarterEnds.includes(quarterEnd));
  return found?.predecessor ?? null;
}

/** The reports that may be the one before: the manager's own, else that of its predecessor (rules 5.1 and 5.7). */
export function priorKeys({ cik, quarterEnd }: { readonly cik: Cik; readonly quarterEnd: QuarterEnd }) {
  const before = previousQuarterEnd(quarterEnd);
  const predecessor = predecessorOf(cik, quarterEnd);
  return [cik, ...(predecessor === null ? [] : [predecessor])].map((one) => ({
    cik: one,
    quarterEnd: before,
  }));
}

/** `T. Rowe Price & Co., Inc.` becomes `t-rowe-price-and-co-inc`. Empty when no letter or digit is left. */
export function kebabSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/&/g, ' and ')
    .replace(/['’.]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/**
 * The slug for a manager whose plain slug is taken or empty. The suffix is the CIK in base 36: short,
 * and independent of which manager came first.
 */
export function slugWithSuffix(name: string, cik: Cik): string {
  return `${kebabSlug(name) || 'fund'}-${Number(cik).toString(36)}`;
}
