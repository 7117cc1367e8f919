import type { Audit } from '../../read/audit/shape.ts';
import { type AuditSection, scales, sharedPositions, trades } from './lists.ts';
import { dollars, grouped, number, table, text } from './table.ts';

/** In the order in which an operator should read them. */
export function auditSections(audit: Audit): AuditSection[] {
  return [
    reasons(audit),
    examples(audit),
    declaredTotals(audit),
    unmapped(audit),
    splits(audit),
    corporateActions(audit),
    ...scales(audit),
    ...sharedPositions(audit),
    textTables(audit),
    quarantined(audit),
    ...trades(audit),
  ];
}

function reasons({ reasons: lines, scope }: Audit): AuditSection {
  return {
    title: 'Quality reasons',
    about: `Of single filings, folded reports, positions of ${scope.positions_of ?? 'no quarter'} and trades. Critical ones first.`,
    lines: table(lines, [
      text('reason', (line) => line.reason),
      text('leg', (line) => line.leg),
      text('severity', (line) => line.severity),
      text('effect', (line) => line.effect),
      number('filings', (line) => grouped(line.filings)),
      number('reports', (line) => grouped(line.reports)),
      number('observations', (line) => grouped(line.observations)),
    ]),
  };
}

function examples({ reasons: lines }: Audit): AuditSection {
  const named = lines.filter((line) => line.severity !== 'info' && line.examples.length > 0);
  return {
    title: 'Where to look first',
    about: 'The latest filings with a critical reason or a warning.',
    lines: table(named, [
      text('reason', (line) => line.reason),
      text('filings', (line) => line.examples.join('  ')),
    ]),
  };
}

function declaredTotals({ declared_totals: totals }: Audit): AuditSection {
  return {
    title: 'Declared against parsed totals',
    about: `${grouped(totals.compared)} tables compared with their summary pages (parsed minus declared), ${grouped(totals.undeclared)} declare no total. Entries differ in ${grouped(totals.entries_differ)}, values in ${grouped(totals.values_differ)}, beyond rounding in ${grouped(totals.values_differ_beyond_rounding)}.`,
    lines: table(totals.worst, [
      text('filing', (line) => line.accession_number),
      text('manager', ({ manager }) => manager.name),
      text('quarter', (line) => line.quarter_end),
      number('declared', ({ declared_entries: entries }) => countOf(entries)),
      number('parsed', (line) => grouped(line.parsed_entries)),
      number(
        'value, off by',
        (line) => dollars(line.value_difference_cents) + (line.beyond_rounding ? ' !' : '  '),
      ),
    ]),
  };
}

function unmapped({ unmapped_cusips: found }: Audit): AuditSection {
  const share = found.mapped_value_pct === null ? 'no value' : `${found.mapped_value_pct} % of the value`;
  return {
    title: `CUSIPs without a ticker at ${found.quarter_end ?? 'no quarter'}`,
    about: `${grouped(found.mapped_cusips)} of ${grouped(found.cusips)} CUSIPs held as equity have a ticker: ${share} of ${dollars(found.value_cents)}.`,
    lines: table(found.worst, [
      text('CUSIP', (line) => line.cusip),
      text('issuer', (line) => line.issuer),
      number('managers', (line) => grouped(line.managers)),
      number('value', (line) => dollars(line.value_cents)),
    ]),
  };
}

function splits({ splits_suspected: found }: Audit): AuditSection {
  return {
    title: 'Suspected splits',
    about: `${grouped(found.total)} securities where a holder's change looks like a split, and the other filers neither confirm nor refute it.`,
    lines: table(found.worst, [
      text('CUSIP', (line) => line.cusip),
      text('issuer', (line) => line.issuer),
      text('quarter', (line) => line.quarter_end),
      number('managers', (line) => grouped(line.managers)),
      number('value', (line) => dollars(line.value_cents)),
    ]),
  };
}

function corporateActions({ corporate_actions: found }: Audit): AuditSection {
  return {
    title: 'Splits, new CUSIPs and mass exits by vote of the filers',
    about: `${grouped(found.splits)} splits confirmed, ${grouped(found.refuted)} refuted, ${grouped(found.cusip_changes)} changes of CUSIP, ${grouped(found.mass_exits)} mass exits. The closest votes of the latest quarter first.`,
    lines: table(found.worst, [
      text('what', (line) => line.kind.replace('_', ' ')),
      text('quarter', (line) => line.quarter_end),
      text('CUSIP', (line) => line.cusip),
      text('before', (line) => line.from ?? ''),
      text('factor', (line) => line.factor ?? ''),
      number('votes', (line) => countOf(line.votes)),
      number('unchanged', (line) => countOf(line.unchanged)),
      number('of holders', (line) => grouped(line.compared)),
    ]),
  };
}

function textTables({ text_tables: found }: Audit): AuditSection {
  const { high, medium, low } = found.by_confidence;
  return {
    title: 'Text tables of before 2013',
    about: `${grouped(found.filings)} filings. In ${grouped(high)} rows and values add up to the declared totals. In ${grouped(medium)} only the values do, or nothing is declared. ${grouped(low)} do not add up.`,
    lines: table(found.worst, [
      text('filing', (line) => line.accession_number),
      text('manager', ({ manager }) => manager.name),
      text('quarter', (line) => line.quarter_end),
      text('confidence', (line) => line.confidence),
    ]),
  };
}

function quarantined({ quarantined: groups }: Audit): AuditSection {
  return {
    title: 'Quarantined filings',
    about: 'Filings of any quarter that could not be read. tidemark failures list shows all of them.',
    lines: table(groups, [
      text('code', (group) => group.code),
      number('filings', (group) => grouped(group.filings)),
      text('for example', ({ examples: [first] }) => first?.accession_number ?? ''),
      text('reason', ({ code, examples: [first] }) => first?.reason.replace(`${code}: `, '') ?? ''),
    ]),
  };
}

function countOf(count: number | null): string {
  return count === null ? '-' : grouped(count);
}
