import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { InfoTableRow, ThirteenF } from '../src/domain/filing/filing.ts';
import type { Accession } from '../src/domain/ids.ts';
import { keyText } from '../src/domain/report/aggregate.ts';
import { type FoldOptions, foldReport } from '../src/domain/report/fold.ts';
import type { EffectiveReport, Position } from '../src/domain/report/report.ts';
import { thirteenFOf } from './filings/read.ts';

const CORPUS = new URL('../demo/corpus/', import.meta.url);
/** Berkshire: a row for every other manager. Greenlight: options beside shares of the same CUSIP. */
const BERKSHIRE = '0001067983';
const GREENLIGHT = '0001079114';

/** Two adjacent quarters of one manager, as filed: the earlier first. */
export type Pair = readonly [prior: ThirteenF, current: ThirteenF];

/** The bytes of a bundled filing. */
export function corpusBytes(file: string): Uint8Array {
  return readFileSync(new URL(file, CORPUS));
}

/** All reports of a manager in the corpus, by quarter. */
function filesOf(cik: string): string[] {
  const lines = readFileSync(new URL('PROVENANCE.tsv', CORPUS), 'utf8').split('\n').slice(1);
  return lines
    .map((line) => line.split('\t'))
    .filter(([, form, owner]) => form === '13F-HR' && owner === cik)
    .sort(([, , , , , a = ''], [, , , , , b = '']) => a.localeCompare(b))
    .map(([file = '']) => file);
}

function pairsOf(cik: string): Pair[] {
  const reports = filesOf(cik).map((file) => thirteenFOf(corpusBytes(file)));
  return reports.slice(1).map((current, index) => [reports[index] as ThirteenF, current]);
}

const PAIRS: readonly Pair[] = [...pairsOf(BERKSHIRE), ...pairsOf(GREENLIGHT)];

/** Any two adjacent real quarters. */
export const realPair: fc.Arbitrary<Pair> = fc.constantFrom(...PAIRS);
/** Any real report with at least two rows. */
export const realFiling: fc.Arbitrary<ThirteenF> = fc.constantFrom(...PAIRS.map(([, current]) => current));

export function withRows(filing: ThirteenF, rows: readonly InfoTableRow[]): ThirteenF {
  return { ...filing, rows: rows.map((row, index) => ({ ...row, row: index + 1 })) };
}

/** The same content under another accession and day: what a manager files next. */
export function refiled(filing: ThirteenF, day: number, changes: Partial<ThirteenF> = {}): ThirteenF {
  const date = new Date(Date.parse(filing.header.filedDate) + day * 86_400_000).toISOString().slice(0, 10);
  const accession = `0009999999-99-${String(day).padStart(6, '0')}` as Accession;
  const header = { ...filing.header, accession, filedDate: date as ThirteenF['header']['filedDate'] };
  const isAmendment = changes.amendmentType != null;
  const form = isAmendment ? '13F-HR/A' : filing.header.form;
  return { ...filing, ...changes, isAmendment, header: { ...header, form, acceptedAt: null } };
}

export function folded(filings: readonly ThirteenF[], options: FoldOptions = {}): EffectiveReport {
  const report = foldReport(filings, options);
  if (report === null) throw new Error('no filings');
  return report;
}

/** What is held: every field of the positions but where it was read and how it was named. */
export function heldIn({ positions }: Pick<EffectiveReport, 'positions'>): Map<string, unknown> {
  return new Map(positions.map((position) => [keyText(position), holdingOf(position)]));
}

function holdingOf({ amount, valueCents, filedValueCents, reasons }: Position): unknown {
  return { amount, valueCents, filedValueCents, reasons };
}
