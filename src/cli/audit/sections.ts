import { grouped } from '../../domain/brief/words/numbers.ts';
import type { Audit } from '../../read/audit/shape.ts';
import { dollars, number, section, table, text } from './table.ts';

/** The lines of every part of the page, in the order in which an operator should read them. */
export function auditSections(audit: Audit): string[] {
  return [
    reasons(audit),
    examples(audit),
    declaredTotals(audit),
    coverage(audit),
    unmapped(audit),
    splits(audit),
    corporateActions(audit),
    scales(audit),
    sharedPositions(audit),
    textTables(audit),
    quarantined(audit),
    trades(audit),
  ].flat();
}

type OfManager = { readonly manager: { readonly cik: string; readonly name: string } };

const MANAGER = text('manager', ({ manager }: OfManager) => manager.name);
const CIK = text('CIK', ({ manager }: OfManager) => manager.cik);
const QUARTER = text('quarter', (line: { readonly quarter_end: string }) => line.quarter_end);
const FILING = text('filing', (line: { readonly accession_number: string }) => line.accession_number);
const CUSIP = text('CUSIP', ({ cusip }: { readonly cusip: string }) => cusip);
const ISSUER = text('issuer', ({ issuer }: { readonly issuer: string }) => issuer);
const REASON = text('reason', ({ reason }: { readonly reason: string }) => reason);
const MANAGERS = number('managers', ({ managers }: { readonly managers: number }) => grouped(managers));
const VALUE = number('value', ({ value_cents }: { readonly value_cents: string }) => dollars(value_cents));
const VALUE_LISTED = { ...VALUE, title: 'value listed' };

function reasons({ reasons: lines, scope }: Audit): string[] {
  return section(
    'Quality reasons',
    `Of single filings, folded reports, positions of ${scope.positions_of ?? 'no quarter'} and trades. Critical ones first.`,
    table(lines, [
      REASON,
      text('leg', (line) => line.leg),
      text('severity', (line) => line.severity),
      text('effect', (line) => line.effect),
      number('filings', (line) => grouped(line.filings)),
      number('reports', (line) => grouped(line.reports)),
      number('observations', (line) => grouped(line.observations)),
    ]),
  );
}

function examples({ reasons: lines }: Audit): string[] {
  const named = lines.filter((line) => line.severity !== 'info' && line.examples.length > 0);
  return section(
    'Where to look first',
    'The latest filings with a critical reason or a warning.',
    table(named, [REASON, text('filings', (line) => line.examples.join('  '))]),
  );
}

function declaredTotals({ declared_totals: totals }: Audit): string[] {
  return section(
    'Declared against parsed totals',
    `${grouped(totals.compared)} tables compared with their summary pages (parsed minus declared), ${grouped(totals.undeclared)} declare no total. Entries differ in ${grouped(totals.entries_differ)}, values in ${grouped(totals.values_differ)}, beyond rounding in ${grouped(totals.values_differ_beyond_rounding)}.`,
    table(totals.worst, [
      FILING,
      MANAGER,
      QUARTER,
      number('declared', ({ declared_entries: entries }) => countOf(entries)),
      number('parsed', (line) => grouped(line.parsed_entries)),
      number(
        'value, off by',
        (line) => dollars(line.value_difference_cents) + (line.beyond_rounding ? ' !' : '  '),
      ),
    ]),
  );
}

function coverage({ mapping_coverage: lines }: Audit): string[] {
  return section(
    'Equity with a ticker, by quarter',
    'Share of the value, of the positions and of the CUSIPs that managers hold. --quarter shows the CUSIPs without a ticker of one quarter.',
    table(lines, [
      QUARTER,
      number('% of value', (line) => percent(line.mapped_value_pct)),
      number('% of positions', (line) => percent(line.mapped_positions_pct)),
      number('positions', (line) => grouped(line.positions)),
      number('CUSIPs', (line) => `${grouped(line.mapped_cusips)} of ${grouped(line.cusips)}`),
      VALUE,
    ]),
  );
}

function percent(share: number | null): string {
  return share === null ? '-' : share.toFixed(2);
}

function unmapped({ unmapped_cusips: found }: Audit): string[] {
  const share = found.mapped_value_pct === null ? 'no value' : `${found.mapped_value_pct} % of the value`;
  return section(
    `CUSIPs without a ticker at ${found.quarter_end ?? 'no quarter'}`,
    `${grouped(found.mapped_cusips)} of ${grouped(found.cusips)} CUSIPs held as equity have a ticker: ${share} of ${dollars(found.value_cents)}.`,
    table(found.worst, [CUSIP, ISSUER, MANAGERS, VALUE]),
  );
}

function splits({ splits_suspected: found }: Audit): string[] {
  return section(
    'Suspected splits',
    `${grouped(found.total)} securities where a holder's change looks like a split, and the other filers neither confirm nor refute it.`,
    table(found.worst, [CUSIP, ISSUER, QUARTER, MANAGERS, VALUE]),
  );
}

function corporateActions({ corporate_actions: found }: Audit): string[] {
  return section(
    'Splits, new CUSIPs and mass exits by the filers together',
    `${grouped(found.splits)} splits proven, ${grouped(found.splits_suspected)} suspected, ${grouped(found.cusip_changes)} changes of CUSIP proven, ${grouped(found.cusip_changes_suspected)} suspected, ${grouped(found.mass_exits)} mass exits, ${grouped(found.stock_mergers)} stock mergers. The closest votes of the latest quarter first.`,
    table(found.worst, [
      text('what', (line) => line.kind.replace('_', ' ')),
      QUARTER,
      CUSIP,
      text('before', (line) => line.from ?? ''),
      text('factor', (line) => line.factor ?? ''),
      number('votes', (line) => grouped(line.votes)),
      number('of holders', (line) => grouped(line.compared)),
    ]),
  );
}

/** Reports whose value scale is doubtful. */
function scales({ scales: { corrected, unverified, shares_equal_value } }: Audit): string[] {
  const part = (title: string, { total, worst }: typeof corrected, about: string): string[] =>
    section(
      title,
      `${grouped(total)} reports ${about}`,
      table(worst, [
        ...[MANAGER, CIK, QUARTER],
        text('filings', (line) => line.accession_numbers.join(' ')),
        VALUE_LISTED,
      ]),
    );
  return [
    part(
      'Value scales corrected',
      corrected,
      "whose scale differs from that of the filing date, as other filers' prices prove.",
    ),
    part(
      'Value scales not confirmed',
      unverified,
      'whose scale follows the filing date but is contradicted or cannot be checked.',
    ),
    part(
      'Shares equal to values',
      shares_equal_value,
      'that repeat values as share counts. They are not compared with any report.',
    ),
  ].flat();
}

/** Reports with the positions of another manager. */
function sharedPositions({ identical_positions, reorganised_managers }: Audit): string[] {
  const part = (title: string, { total, worst }: typeof identical_positions, about: string): string[] =>
    section(
      title,
      `${grouped(total)} reports ${about}`,
      table(worst, [MANAGER, CIK, QUARTER, text('of CIK', (line) => line.other_cik ?? '-'), VALUE_LISTED]),
    );
  return [
    part(
      'Identical positions',
      identical_positions,
      'with exactly the positions of another manager. They may be counted twice.',
    ),
    part(
      'Reorganised managers',
      reorganised_managers,
      'that took over the positions of a manager that no longer files.',
    ),
  ].flat();
}

function textTables({ text_tables: found }: Audit): string[] {
  const { high, medium, low } = found.by_confidence;
  return section(
    'Text tables of before 2013',
    `${grouped(found.filings)} filings. In ${grouped(high)} rows and values add up to the declared totals. In ${grouped(medium)} only the values do, or nothing is declared. ${grouped(low)} do not add up.`,
    table(found.worst, [FILING, MANAGER, QUARTER, text('confidence', (line) => line.confidence)]),
  );
}

function quarantined({ quarantined: groups }: Audit): string[] {
  return section(
    'Quarantined filings',
    'Filings of any quarter that could not be read. tidemark failures list shows all of them.',
    table(groups, [
      text('code', (group) => group.code),
      number('filings', (group) => grouped(group.filings)),
      text('for example', ({ examples: [first] }) => first?.accession_number ?? ''),
      text('reason', ({ code, examples: [first] }) => first?.reason.replace(`${code}: `, '') ?? ''),
    ]),
  );
}

/** Trades of Form 4 that the rules could not settle. */
function trades({ unreconciled_amendments, implausible_prices }: Audit): string[] {
  const part = (title: string, { total, worst }: typeof implausible_prices, about: string): string[] =>
    section(
      title,
      `${grouped(total)} ${about}`,
      table(worst, [
        text('transaction', (line) => line.transaction_id),
        ISSUER,
        text('code', (line) => line.code ?? ''),
        number('shares', (line) => line.shares ?? '-'),
        number('price', (line) => line.price_per_share ?? '-'),
        number('value', ({ value_usd: usd }) =>
          usd === null ? '-' : dollars(BigInt(Math.round(usd * 100))),
        ),
      ]),
    );
  return [
    part(
      'Unreconciled amendments of Form 4',
      unreconciled_amendments,
      'rows of a 4/A that restate no stored original. Both are kept.',
    ),
    part(
      'Implausible prices',
      implausible_prices,
      'trades with a price far above the one that 13F reports imply. Value sums exclude them.',
    ),
  ].flat();
}

function countOf(count: number | null): string {
  return count === null ? '-' : grouped(count);
}
