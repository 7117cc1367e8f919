import { compare } from '../domain/compare.ts';
import type { FilingHeader } from '../domain/filing/filing.ts';
import { batches, groupBy } from '../domain/group.ts';
import { isQuarterEnd } from '../domain/quarter.ts';
import type { DataSetArchive } from '../edgar/data-set/archive.ts';
import type { DataSet } from '../edgar/data-set/filings.ts';
import type { Columns, DataSetFiling, DataSetFormat } from '../forms/data-set.ts';
import { DATA_SETS, type DataSetKind } from '../forms/data-sets.ts';
import { FORMS, ParseError, requireForm } from '../forms/index.ts';
import type { DataSetKey } from '../store/filing/data-sets.ts';
import { type ReportKey, reportId } from '../store/filing/filings.ts';
import type { Unit } from './unit.ts';

/** Managers of one unit: some 90,000 rows, whose positions are in memory until they are written together. */
const MANAGERS_PER_UNIT = 256;

/** What is cut into units. */
export type Imported = {
  readonly kind: DataSetKind;
  readonly key: DataSetKey;
  readonly dataSet: DataSet;
  /** Bytes by table. */
  readonly total: DataSetArchive['tables'];
};

/** `share` of the stage that is done with the unit. */
export type Planned = { readonly unit: Unit; readonly share: number; readonly lines: number };

export async function* filingUnits({ dataSet, kind, key, total }: Imported): AsyncGenerator<Planned> {
  const format: DataSetFormat = DATA_SETS[kind];
  const bytes = total.get(format.streamed ?? '') ?? 0;
  let [read, listed] = [0, 0];
  for await (const { number, filings, lines } of dataSet.units()) {
    listed += filings.length;
    for (const filing of filings)
      for (const line of filing.lines[format.streamed ?? ''] ?? []) read += line.length + 1;
    const share = bytes > 0 ? read / bytes : listed / Math.max(1, dataSet.listed.size);
    const work = { stage: 'filings', kind, columns: dataSet.columns, filings } as const;
    yield { unit: { key: { ...key, stage: 'filings', number }, work }, share: Math.min(1, share), lines };
  }
}

/** Of the reports that the filings belong to; none for forms without. */
export function* reportUnits(imported: Imported): Generator<Planned> {
  const { followers } = requireForm(FORMS, DATA_SETS[imported.kind].form);
  if (!followers.includes('report')) return;
  const managers = [...groupBy(reportsListed(imported), ({ cik }) => cik)].sort(([a], [b]) => compare(a, b));
  // The managers that are done with the unit: releases that cut other units numbered them otherwise.
  let number = 0;
  for (const batch of batches(managers, MANAGERS_PER_UNIT)) {
    number += batch.length;
    const reports = batch.flatMap(([, own]) => own);
    const unit = {
      key: { ...imported.key, stage: 'reports', number },
      work: { stage: 'reports', reports },
    } as const;
    yield { unit, share: number / managers.length, lines: reports.length };
  }
}

/** The reports that the listed filings belong to, each once. */
function reportsListed(imported: Imported): ReportKey[] {
  const reports = new Map<string, ReportKey>();
  for (const { filers, periodOfReport } of headersListed(imported)) {
    const cik = filers[0]?.cik;
    if (cik === undefined || periodOfReport === null || !isQuarterEnd(periodOfReport)) continue;
    const key = { cik, quarterEnd: periodOfReport };
    reports.set(reportId(key), key);
  }
  return [...reports.values()];
}

function headersListed({ kind, dataSet }: Imported): FilingHeader[] {
  const format: DataSetFormat = DATA_SETS[kind];
  const [table = ''] = Object.keys(format.tables);
  return [...dataSet.listed].flatMap(
    ([accession, lines]) => headerIn(format, { accession, lines: { [table]: lines } }, dataSet.columns) ?? [],
  );
}

/** Null for lines that cannot be read: they belong to nobody. */
export function headerIn(
  format: DataSetFormat,
  filing: DataSetFiling,
  columns: Columns,
): FilingHeader | null {
  try {
    return format.header(filing, columns);
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
