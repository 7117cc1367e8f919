import type { Db, Filter } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { TextConfidence } from '../../domain/filing/filing.ts';
import type { ThirteenFContent } from '../../domain/filing/stored.ts';
import type { Reason } from '../../domain/quality/quality.ts';
import { valueScaleCents } from '../../domain/report/scale.ts';
import { type FilingDoc, filingsIn, thirteenFOf } from '../../store/filing/filings.ts';
import { readRows } from '../../store/filing/rows.ts';
import type { AuditScope } from './scope.ts';
import type { Audit } from './shape.ts';
import { byAmount, tally, worstOf } from './tally.ts';

type Declared = Audit['declared_totals']['worst'][number];
type TextTable = Audit['text_tables']['worst'][number];

const DOUBT: Record<TextConfidence, bigint> = { low: 2n, medium: 1n, high: 0n };

type Parsed = Pick<FilingDoc, '_id' | 'cik' | 'filedDate' | 'rows'> & { readonly content: ThirteenFContent };

const FIELDS = { cik: 1, filedDate: 1, content: 1, rows: 1 } as const;

/** One pass over the parsed 13F filings without their rows. */
export async function auditFilings(db: Db, scope: AuditScope) {
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
  const worst = worstOf(limit, byAmount(sizeOf, accessionOf));
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
    found: () => ({ ...counts, worst: worst.found().worst }),
  };
}

function accessionOf(line: { readonly accession_number: string }): string {
  return line.accession_number;
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
 * The sum of the value column at the filing's own scale. The stored total covers the rows with a
 * CUSIP, so the table is read only where one has none, or where the stored scale is another one.
 */
async function parsedValue(db: Db, { _id, filedDate, content, rows }: Parsed): Promise<bigint> {
  const scale = valueScaleCents(filedDate);
  const isWhole = !content.reasons.includes('cusip_malformed') && content.valueCents % scale === 0n;
  if (isWhole || rows === null) return content.valueCents / scale;
  const table = await readRows(db, _id, rows);
  return table.reduce((sum, { value }) => sum + value, 0n);
}

function textTables(limit: number) {
  const confidences = { high: 0, medium: 0, low: 0 };
  const doubtOf = ({ confidence }: TextTable): bigint => DOUBT[confidence];
  const worst = worstOf(limit, byAmount(doubtOf, accessionOf));
  let filings = 0;
  return {
    add({ _id, cik, content }: Parsed): void {
      const { textConfidence, managerName: name, quarterEnd } = content;
      // A filing that was stored before tables of text were read has none.
      const confidence = textConfidence ?? null;
      if (confidence === null) return;
      filings += 1;
      confidences[confidence] += 1;
      const line = { accession_number: _id, manager: { cik, name }, quarter_end: quarterEnd, confidence };
      if (confidence !== 'high') worst.add(line);
    },
    found: () => ({ filings, by_confidence: confidences, worst: worst.found().worst }),
  };
}

type Group = Audit['quarantined'][number];

/** Covers every quarter and ticker, because those of an unreadable filing are unknown. */
export async function auditQuarantined(db: Db, limit: number): Promise<Group[]> {
  const groups = new Map<string, Group>();
  const docs = filingsIn(db)
    .find({ state: 'quarantined' }, { projection: { form: 1, quarantine: 1 } })
    .sort({ _id: 1 });
  for await (const { _id, form, quarantine } of docs) {
    const { code, reason } = quarantine ?? { code: 'unknown', reason: '' };
    const group = groups.get(code) ?? { code, filings: 0, examples: [] };
    groups.set(code, group);
    group.filings += 1;
    if (group.examples.length < limit) group.examples.push({ accession_number: _id, form, reason });
  }
  return [...groups.values()].sort((a, b) => b.filings - a.filings || compare(a.code, b.code));
}
