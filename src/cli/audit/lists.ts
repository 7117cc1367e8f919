import type { Audit } from '../../read/audit/shape.ts';
import { dollars, grouped, number, table, text } from './table.ts';

/** A part of the report: a title, a line that explains it, and a table or nothing. */
export type AuditSection = {
  readonly title: string;
  readonly about: string;
  readonly lines: readonly string[];
};

/** Reports whose value scale is doubtful. */
export function scales({ scales: found }: Audit): AuditSection[] {
  const section = (title: string, about: string, { total, worst }: Audit['scales']['corrected']) => ({
    title,
    about: `${grouped(total)} reports ${about}`,
    lines: table(worst, [
      text('manager', ({ manager }) => manager.name),
      text('CIK', ({ manager }) => manager.cik),
      text('quarter', (line) => line.quarter_end),
      text('filings', (line) => line.accession_numbers.join(' ')),
      number('value listed', (line) => dollars(line.value_cents)),
    ]),
  });
  return [
    section(
      'Value scales corrected',
      "whose scale differs from that of the filing date, as other filers' prices prove.",
      found.corrected,
    ),
    section(
      'Value scales not confirmed',
      'whose scale follows the filing date but is contradicted or cannot be checked.',
      found.unverified,
    ),
    section(
      'Shares equal to values',
      'that repeat values as share counts. They are not compared with any report.',
      found.shares_equal_value,
    ),
  ];
}

/** Reports with the positions of another manager. */
export function sharedPositions(audit: Audit): AuditSection[] {
  const section = (title: string, about: string, { total, worst }: Audit['identical_positions']) => ({
    title,
    about: `${grouped(total)} ${about}`,
    lines: table(worst, [
      text('manager', ({ manager }) => manager.name),
      text('CIK', ({ manager }) => manager.cik),
      text('quarter', (line) => line.quarter_end),
      text('of CIK', (line) => line.other_cik ?? '-'),
      number('value listed', (line) => dollars(line.value_cents)),
    ]),
  });
  return [
    section(
      'Identical positions',
      'reports with exactly the positions of another manager. They may be counted twice.',
      audit.identical_positions,
    ),
    section(
      'Reorganised managers',
      'reports that took over the positions of a manager that no longer files.',
      audit.reorganised_managers,
    ),
  ];
}

/** Trades of Form 4 that the rules could not settle. */
export function trades(audit: Audit): AuditSection[] {
  const section = (title: string, about: string, { total, worst }: Audit['implausible_prices']) => ({
    title,
    about: `${grouped(total)} ${about}`,
    lines: table(worst, [
      text('transaction', (line) => line.transaction_id),
      text('issuer', (line) => line.issuer),
      text('code', (line) => line.code ?? ''),
      number('shares', (line) => line.shares ?? '-'),
      number('price', (line) => line.price_per_share ?? '-'),
      number('value', ({ value_usd: usd }) => (usd === null ? '-' : dollars(BigInt(Math.round(usd * 100))))),
    ]),
  });
  return [
    section(
      'Unreconciled amendments of Form 4',
      'rows of a 4/A that restate no stored original. Both are kept.',
      audit.unreconciled_amendments,
    ),
    section(
      'Implausible prices',
      'trades with a price far above the one that 13F reports imply. Value sums exclude them.',
      audit.implausible_prices,
    ),
  ];
}
