import type { LocalFiling, ServedFolder } from './scan.ts';

/**
 * `master.YYYYMMDD.idx` of one day; null when nothing was filed that day (EDGAR answers 403). The
 * header says when this is a selection, because absence then proves nothing about EDGAR (rule 10.7).
 */
export function renderMaster(
  { filings, isSelection }: Pick<ServedFolder, 'filings' | 'isSelection'>,
  day: string,
): string | null {
  const rows = filings
    .filter((filing) => filing.filedDate === day)
    .flatMap((filing) => filing.parties.map((party) => renderRow(filing, BigInt(party.cik), party.name)))
    .sort();
  if (rows.length === 0) return null;
  return [
    `Description:           Daily Index of ${isSelection ? 'a local selection of EDGAR filings' : 'all filings of a local EDGAR'}`,
    `Last Data Received:    ${day}`,
    'Comments:              not published by the SEC',
    ' ',
    'CIK|Company Name|Form Type|Date Filed|File Name',
    '-'.repeat(80),
    ...rows,
    '',
  ].join('\n');
}

function renderRow(filing: LocalFiling, cik: bigint, name: string): string {
  const file = `edgar/data/${cik}/${filing.accession}.txt`;
  return `${cik}|${name}|${filing.form}|${filing.filedDate.replaceAll('-', '')}|${file}`;
}

/** A directory of the daily index (`index.json`): the root, a year or a quarter. Null when empty. */
export function renderIndexDirectory(
  filings: readonly LocalFiling[],
  path: readonly string[],
): string | null {
  const [year, quarter] = path;
  const days = [...new Set(filings.map((filing) => filing.filedDate))].sort();
  const names = days
    .filter((day) => year === undefined || day.startsWith(`${year}-`))
    .filter((day) => quarter === undefined || quarterOf(day) === quarter)
    .map((day) => nameAt(day, path.length));
  if (names.length === 0 && path.length > 0) return null;
  return renderDirectory(`daily-index/${path.map((part) => `${part}/`).join('')}`, [...new Set(names)]);
}

/** EDGAR's own shape of a listing. */
export function renderDirectory(name: string, names: readonly string[]): string {
  const item = names.map((entry) => {
    const isFile = entry.includes('.');
    return { name: entry, type: isFile ? 'file' : 'dir', href: isFile ? entry : `${entry}/`, size: '' };
  });
  return JSON.stringify({ directory: { item, name, 'parent-dir': '../' } });
}

function nameAt(day: string, depth: number): string {
  if (depth === 0) return day.slice(0, 4);
  return depth === 1 ? quarterOf(day) : `master.${day.replaceAll('-', '')}.idx`;
}

export function quarterOf(day: string): string {
  return `QTR${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
}
