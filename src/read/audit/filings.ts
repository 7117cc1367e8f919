import type { Db, Filter } from 'mongodb';
import type { TextConfidence } from '../../domain/filing/filing.ts';
import type { ThirteenFContent } from '../../domain/filing/stored.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { valueScaleCents } from '../../domain/report/scale.ts';
import { type FilingDoc, filingsIn, thirteenFOf } from '../../store/filing/filings.ts';
import { readRows } from '../../store/filing/rows.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { type Tally, tally } from './tally.ts';
import { byAmount, worstOf } from './worst.ts';

type Declared = Audit['declared_totals']['worst'][number];
type TextTable = Audit['text_tables']['worst'][number];

const DOUBT: Record<TextConfidence, bigint> = { low: 2n, medium: 1n, high: 0n };

export type FilingsAudit = Pick<Audit, 'declared_totals' | 'text_tables'> & {
  readonly filings: number;
  readonly reasons: Tally<Reason>;
};

type Parsed = Pick<FilingDoc, '_id' | 'cik' | 'filedDate' | 'rows'> & { readonly content: ThirteenFContent };

const FIELDS = { cik: 1, filedDate: 1, content: 1, rows: 1 } as const;

/** One pass over the parsed 13F filings without their rows. */
export async function auditFilings(db: Db, scope: AuditScope): Promise<FilingsAudit> {
  const reasons = tally<Reason>();
  const totals = declaredTotals(scope.limit);
  const texts = textTables(scope.limit);
  let filings = 0;
  for await (const doc of filingsIn(db).find(filterOf(scope), { projection: FIELDS })) {
    const content = thirteenFOf(doc);
    if (content === null) continue;
    const filing = { ...doc, content };
    if (scope.managers !== null && !scope.managers.has(filing.cik)) continue;
    filings += 1;
    reasons.add(new Set(filing.content.reasons), filing._id);
    texts.add(filing);
    await totals.add(db, filing);
  }
  return { filings, reasons, declared_totals: totals.found(), text_tables: texts.found() };
}

function filterOf({ quarterEnd }: AuditScope): Filter<FilingDoc> {
  const parsed = { state: 'parsed', leg: 'thirteen_f' } as const;
  return quarterEnd === null ? parsed : { ...parsed, 'content.quarterEnd': quarterEnd };
}

function declaredTotals(limit: number) {
  const counts = {
    compared: 0,
    undeclared: 0,
    entries_differ: 0,
    values_differ: 0,
    values_differ_beyond_rounding: 0,
  };
  const worst = worstOf<Declared>(
    limit,
    byAmount(sizeOf, ({ accession_number }) => accession_number),
  );
  return {
    async add(db: Db, filing: Parsed): Promise<void> {
      const { declaredEntryTotal: entries, declaredValueTotal: value, reportType } = filing.content;
      if (reportType === 'notice') return;
      if (entries === null && value === null) {
        counts.undeclared += 1;
        return;
      }
      counts.compared += 1;
      const compared = comparisonOf(filing, await parsedValue(db, filing));
      if (compared.declared_entries !== null && compared.declared_entries !== compared.parsed_entries) {
        counts.entries_differ += 1;
      }
      if (compared.value_difference_cents !== '0') counts.values_differ += 1;
      if (compared.beyond_rounding) counts.values_differ_beyond_rounding += 1;
      if (sizeOf(compared) > 0n) worst.add(compared);
    },
    found: () => ({ ...counts, worst: worst.first() }),
  };
}

/** Value first; filings that differ in entries alone come after them, by how many. */
function sizeOf({ value_difference_cents, declared_entries, parsed_entries }: Declared): bigint {
  const value = BigInt(value_difference_cents);
  const entries = declared_entries === null ? 0 : Math.abs(parsed_entries - declared_entries);
  return (value < 0n ? -value : value) * 1_000_000n + BigInt(entries);
}

function comparisonOf({ _id, cik, filedDate, content, rows }: Parsed, parsed: bigint): Declared {
  const { declaredEntryTotal, declaredValueTotal, quarterEnd, managerName } = content;
  const entries = Number(rows?.count ?? 0);
  const difference = declaredValueTotal === null ? 0n : parsed - declaredValueTotal;
  return {
    accession_number: _id,
    manager: { cik, name: managerName },
    quarter_end: quarterEnd,
    declared_entries: declaredEntryTotal === null ? null : Number(declaredEntryTotal),
    parsed_entries: entries,
    declared_value: declaredValueTotal === null ? null : declaredValueTotal.toString(),
    parsed_value: parsed.toString(),
    value_difference_cents: (difference * valueScaleCents(filedDate)).toString(),
    beyond_rounding: difference > BigInt(entries) || -difference > BigInt(entries),
  };
}

/**
 * The sum of the value column in the filing's own unit. The stored total covers the rows with a
 * CUSIP, so the table is read only where one has none, or where the stored unit is another one.
 */
async function parsedValue(db: Db, { _id, filedDate, content, rows }: Parsed): Promise<bigint> {
  const scale = valueScaleCents(filedDate);
  const isWhole = !content.reasons.includes('cusip_malformed') && content.valueCents % scale === 0n;
  if (isWhole || rows === null) return content.valueCents / scale;
  const table = await readRows(db, _id, rows);
  return table.reduce((sum, { value }) => sum + value, 0n);
}

function textTables(limit: number) {
  const confidences = tally<TextConfidence>();
  const worst = worstOf<TextTable>(
    limit,
    byAmount(
      ({ confidence }) => DOUBT[confidence],
      ({ accession_number }) => accession_number,
    ),
  );
  let filings = 0;
  return {
    add({ _id, cik, content }: Parsed): void {
      const { textConfidence, managerName, quarterEnd } = content;
      // A filing that was stored before tables of text were read has none.
      if ((textConfidence ?? null) === null) return;
      const confidence = textConfidence as TextConfidence;
      filings += 1;
      confidences.add([confidence], null);
      const manager = { cik, name: managerName };
      if (confidence !== 'high') {
        worst.add({ accession_number: _id, manager, quarter_end: quarterEnd, confidence });
      }
    },
    found: () => ({
      filings,
      by_confidence: {
        high: confidences.of('high'),
        medium: confidences.of('medium'),
        low: confidences.of('low'),
      },
      worst: worst.first(),
    }),
  };
}
