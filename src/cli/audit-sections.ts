import type { Audit } from '../read/audit/shape.ts';
import { pairs, trades, units } from './audit-lists.ts';
import { type AuditSection, number, table, text } from './audit-section.ts';
import { dollars, parted } from './audit-table.ts';

/** In the order in which an operator should read them. */
export function auditSections(audit: Audit): AuditSection[] {
  return [
    reasons(audit),
    examples(audit),
    declaredTotals(audit),
    unmapped(audit),
    splits(audit),
    corporateActions(audit),
    ...units(audit),
    ...pairs(audit),
    textTables(audit),
    quarantined(audit),
    ...trades(audit),
  ];
}

function reasons({ reasons: lines, scope }: Audit): AuditSection {
  return {
    title: 'Quality reasons',
    about: `Filings alone, reports as folded, positions of ${scope.positions_of ?? 'no quarter'} and trades. Critical ones first.`,
    lines: table(
      [
        text('reason'),
        text('leg'),
        text('severity'),
        text('effect'),
        number('filings'),
        number('reports'),
        number('observations'),
      ],
      lines.map((line) => [
        line.reason,
        line.leg,
        line.severity,
        line.effect,
        parted(line.filings),
        parted(line.reports),
        parted(line.observations),
      ]),
    ),
  };
}

function examples({ reasons: lines }: Audit): AuditSection {
  const named = lines.filter((line) => line.severity !== 'info' && line.examples.length > 0);
  return {
    title: 'Where to look first',
    about: 'The latest filings with a critical reason or a warning.',
    lines: table(
      [text('reason'), text('filings')],
      named.map((line) => [line.reason, line.examples.join('  ')]),
    ),
  };
}

function declaredTotals({ declared_totals: totals }: Audit): AuditSection {
  return {
    title: 'Declared against parsed totals',
    about: `${parted(totals.compared)} tables compared with their summary pages (parsed less declared), ${parted(totals.undeclared)} declare nothing. Entries differ in ${parted(totals.entries_differ)}, values in ${parted(totals.values_differ)}, beyond rounding in ${parted(totals.values_differ_beyond_rounding)}.`,
    lines: table(
      [
        text('filing'),
        text('manager'),
        text('quarter'),
        number('declared'),
        number('parsed'),
        number('value, off by'),
      ],
      totals.worst.map((line) => [
        line.accession_number,
        line.manager.name,
        line.quarter_end,
        line.declared_entries === null ? '-' : parted(line.declared_entries),
        parted(line.parsed_entries),
        dollars(line.value_difference_cents) + (line.beyond_rounding ? ' !' : '  '),
      ]),
    ),
  };
}

function unmapped({ unmapped_cusips: found }: Audit): AuditSection {
  const share = found.mapped_value_pct === null ? 'no value' : `${found.mapped_value_pct} % of the value`;
  return {
    title: `Unmapped CUSIPs at ${found.quarter_end ?? 'no quarter'}`,
    about: `${parted(found.mapped_cusips)} of ${parted(found.cusips)} CUSIPs held as equity have a ticker: ${share} of ${dollars(found.value_cents)}.`,
    lines: table(
      [text('CUSIP'), text('issuer'), number('managers'), number('value')],
      found.worst.map((line) => [line.cusip, line.issuer, parted(line.managers), dollars(line.value_cents)]),
    ),
  };
}

function splits({ splits_suspected: found }: Audit): AuditSection {
  return {
    title: 'Suspected splits',
    about: `${parted(found.total)} securities where a holder's change looks like a split and the other filers decide nothing.`,
    lines: table(
      [text('CUSIP'), text('issuer'), text('quarter'), number('managers'), number('value')],
      found.worst.map((line) => [
        line.cusip,
        line.issuer,
        line.quarter_end,
        parted(line.managers),
        dollars(line.value_cents),
      ]),
    ),
  };
}

function corporateActions({ corporate_actions: found }: Audit): AuditSection {
  return {
    title: 'Splits, new CUSIPs and mass exits by vote of the filers',
    about: `${parted(found.splits)} splits confirmed, ${parted(found.refuted)} refuted, ${parted(found.cusip_changes)} changes of CUSIP, ${parted(found.mass_exits)} mass exits. The closest votes of the latest quarter first.`,
    lines: table(
      [
        text('what'),
        text('quarter'),
        text('CUSIP'),
        text('before'),
        text('factor'),
        number('votes'),
        number('unchanged'),
        number('of holders'),
      ],
      found.worst.map((line) => [
        line.kind.replace('_', ' '),
        line.quarter_end,
        line.cusip,
        line.from ?? '',
        line.factor ?? '',
        line.votes === null ? '-' : parted(line.votes),
        line.unchanged === null ? '-' : parted(line.unchanged),
        parted(line.compared),
      ]),
    ),
  };
}

function textTables({ text_tables: found }: Audit): AuditSection {
  const { high, medium, low } = found.by_confidence;
  return {
    title: 'Text tables of before 2013',
    about: `${parted(found.filings)} filings: ${parted(high)} whose rows and values add up to what they declare, ${parted(medium)} whose values do or that declare nothing, ${parted(low)} that do not add up.`,
    lines: table(
      [text('filing'), text('manager'), text('quarter'), text('confidence')],
      found.worst.map((line) => [
        line.accession_number,
        line.manager.name,
        line.quarter_end,
        line.confidence,
      ]),
    ),
  };
}

function quarantined({ quarantined: groups }: Audit): AuditSection {
  return {
    title: 'Quarantined filings',
    about: 'Filings that could not be read, of every quarter. tidemark failures list says all of them.',
    lines: table(
      [text('code'), number('filings'), text('for example'), text('reason')],
      groups.map(({ code, filings, examples: [first] }) => [
        code,
        parted(filings),
        first?.accession_number ?? '',
        first?.reason.replace(`${code}: `, '') ?? '',
      ]),
    ),
  };
}
