import type { Audit } from '../read/audit/shape.ts';
import { type AuditSection, number, table, text } from './audit-section.ts';
import { dollars, parted } from './audit-table.ts';

/** Reports by what is doubtful in the unit of their values. */
export function units({ units: found }: Audit): AuditSection[] {
  const columns = [text('manager'), text('CIK'), text('quarter'), text('filings'), number('value listed')];
  const section = (title: string, about: string, { total, worst }: Audit['units']['corrected']) => ({
    title,
    about: `${parted(total)} reports ${about}`,
    lines: table(
      columns,
      worst.map((line) => [
        line.manager.name,
        line.manager.cik,
        line.quarter_end,
        line.accession_numbers.join(' '),
        dollars(line.value_cents),
      ]),
    ),
  });
  return [
    section(
      'Units corrected',
      "whose unit other filers' prices prove to be another than that of the filing date.",
      found.corrected,
    ),
    section(
      'Units that nothing confirms',
      'whose unit follows the filing date but is contradicted or cannot be checked.',
      found.unverified,
    ),
    section(
      'Shares equal to values',
      'that repeat values as share counts: they are compared with none.',
      found.shares_equal_value,
    ),
  ];
}

/** Reports that name another manager's book. */
export function pairs(audit: Audit): AuditSection[] {
  const section = (title: string, about: string, { total, worst }: Audit['identical_books']) => ({
    title,
    about: `${parted(total)} ${about}`,
    lines: table(
      [text('manager'), text('CIK'), text('quarter'), text('of CIK'), number('value listed')],
      worst.map((line) => [
        line.manager.name,
        line.manager.cik,
        line.quarter_end,
        line.other_cik ?? '-',
        dollars(line.value_cents),
      ]),
    ),
  });
  return [
    section(
      'Identical books',
      'reports with the very positions of another manager: they may be counted twice.',
      audit.identical_books,
    ),
    section(
      'Reorganised managers',
      'reports that took over the book of a manager that files no more.',
      audit.reorganised_managers,
    ),
  ];
}

/** Trades of Form 4 that the rules could not settle. */
export function trades(audit: Audit): AuditSection[] {
  const section = (title: string, about: string, { total, worst }: Audit['implausible_prices']) => ({
    title,
    about: `${parted(total)} ${about}`,
    lines: table(
      [text('transaction'), text('issuer'), text('code'), number('shares'), number('price'), number('value')],
      worst.map((line) => [
        line.transaction_id,
        line.issuer,
        line.code ?? '',
        line.shares ?? '-',
        line.price_per_share ?? '-',
        line.value_usd === null ? '-' : dollars(BigInt(Math.round(line.value_usd * 100))),
      ]),
    ),
  });
  return [
    section(
      'Unreconciled amendments of Form 4',
      'rows of a 4/A that restate no stored original: both are kept.',
      audit.unreconciled_amendments,
    ),
    section(
      'Implausible prices',
      'trades whose price is far above what 13F reports imply: left out of value sums.',
      audit.implausible_prices,
    ),
  ];
}
