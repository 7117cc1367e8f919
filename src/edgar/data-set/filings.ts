import type { Readable } from 'node:stream';
import { type Accession, isAccession } from '../../domain/ids.ts';
import type { Columns, DataSetFiling, DataSetFormat } from '../../forms/data-set.ts';
import { MAX_ROWS } from '../../forms/parse-error.ts';
import { malformed } from '../error.ts';
import type { DataSetArchive } from './archive.ts';

/** A line that belongs to no filing. */
export type StrayLine = { readonly table: string; readonly line: number; readonly reason: string };

export type DataSet = {
  readonly columns: Columns;
  /** The lines of the first table by filing. */
  readonly listed: ReadonlyMap<Accession, readonly string[]>;
  /** Found so far. */
  readonly strays: readonly StrayLine[];
  /** Reads the filings some at a time in the order of the file; those that the streamed table does not name come last. */
  readonly units: () => AsyncGenerator<readonly DataSetFiling[]>;
};

/** A unit ends with the filing that reaches one of these. */
const UNIT_LINES = 20_000;
const UNIT_FILINGS = 2_000;
const MAX_STRAYS = 100;
/** Where an accession number ends: every table begins with it. */
const ACCESSION_LENGTH = 20;

/** Of a table that is kept in memory: real ones have at most 100 MB. */
const MAX_KEPT_BYTES = 256 * 2 ** 20;

type Lines = Map<Accession, string[]>;

/**
 * Reads a data set filing by filing. The small tables are kept in memory; of the streamed one only the
 * unit at hand. Throws `edgar_malformed` when a table or a column is missing, and when the lines of a
 * filing are not adjacent in the streamed table: half a filing would look like sales.
 */
export async function readDataSet(archive: DataSetArchive, format: DataSetFormat): Promise<DataSet> {
  const strays: StrayLine[] = [];
  const columns: Record<string, readonly string[]> = {};
  const kept = new Map<string, Lines>();
  for (const [table, required] of Object.entries(format.tables)) {
    columns[table] = await columnsOf(archive, table, required);
    if (table !== format.streamed) kept.set(table, await keepLines(archive, table, strays));
  }
  const [first = ''] = Object.keys(format.tables);
  const source: Source = { archive, kept, strays, streamed: format.streamed, first };
  return { columns, listed: kept.get(first) ?? new Map(), strays, units: () => unitsOf(source) };
}

async function columnsOf(
  archive: DataSetArchive,
  table: string,
  required: readonly string[],
): Promise<string[]> {
  for await (const [head = ''] of linesOf(await archive.open(table))) {
    const columns = head
      .replace(/^\ufeff/, '')
      .split('\t')
      .map((name) => name.trim().toUpperCase());
    const absent = required.filter((name) => !columns.includes(name));
    if (columns[0] === 'ACCESSION_NUMBER' && absent.length === 0) return columns;
    throw malformed(table, `it has no column ${absent.join(', ') || 'ACCESSION_NUMBER in the first place'}`);
  }
  throw malformed(table, 'it is empty');
}

/** Each line with its filing; a line of none is noted and left out. */
async function* ownedLines({ archive, strays }: Pick<Source, 'archive' | 'strays'>, table: string) {
  let number = 0;
  for await (const lines of linesOf(await archive.open(table))) {
    const owned: { accession: Accession; line: string }[] = [];
    for (const line of lines) {
      number += 1;
      if (number === 1 || line === '') continue;
      const accession = line.slice(0, ACCESSION_LENGTH);
      if (isAccession(accession)) owned.push({ accession, line });
      else noteStray(strays, { table, line: number, reason: 'it begins with no accession number' });
    }
    yield owned;
  }
}

function noteStray(strays: StrayLine[], stray: StrayLine): void {
  if (strays.length < MAX_STRAYS) strays.push(stray);
}

async function keepLines(archive: DataSetArchive, table: string, strays: StrayLine[]): Promise<Lines> {
  if ((archive.tables.get(table) ?? 0) > MAX_KEPT_BYTES)
    throw malformed(table, 'it is larger than any such table');
  const kept: Lines = new Map();
  for await (const owned of ownedLines({ archive, strays }, table)) {
    for (const { accession, line } of owned) {
      const own = kept.get(accession);
      if (own === undefined) kept.set(accession, [line]);
      else addLine(own, line, { table, accession });
    }
  }
  return kept;
}

type Place = { readonly table: string; readonly accession: Accession };

function addLine(lines: string[], line: string, { table, accession }: Place): void {
  if (lines.length >= MAX_ROWS) throw malformed(table, `${accession} has more lines than any filing`);
  lines.push(line);
}

type Source = {
  readonly archive: DataSetArchive;
  readonly kept: ReadonlyMap<string, Lines>;
  readonly strays: StrayLine[];
  readonly streamed: string | null;
  readonly first: string;
};

async function* unitsOf(source: Source): AsyncGenerator<readonly DataSetFiling[]> {
  let filings: DataSetFiling[] = [];
  let lines = 0;
  for await (const filing of filingsOf(source)) {
    filings.push(filing);
    lines += filing.lines[source.streamed ?? source.first]?.length ?? 0;
    if (lines < UNIT_LINES && filings.length < UNIT_FILINGS) continue;
    yield filings;
    [filings, lines] = [[], 0];
  }
  if (filings.length > 0) yield filings;
}

async function* filingsOf(source: Source): AsyncGenerator<DataSetFiling> {
  const streamed = new Set<Accession>();
  for await (const { accession, lines } of streamedFilings(source)) {
    if (streamed.has(accession)) {
      throw malformed(source.streamed ?? '', `the lines of ${accession} are not adjacent`);
    }
    streamed.add(accession);
    yield filingOf(source, accession, lines);
  }
  for (const accession of source.kept.get(source.first)?.keys() ?? []) {
    if (!streamed.has(accession)) yield filingOf(source, accession, []);
  }
}

function filingOf({ kept, streamed }: Source, accession: Accession, own: readonly string[]): DataSetFiling {
  const tables = [...kept].flatMap(([table, byFiling]) => {
    const found = byFiling.get(accession);
    return found === undefined ? [] : [[table, found] as const];
  });
  const lines = streamed === null ? tables : [...tables, [streamed, own] as const];
  return { accession, lines: Object.fromEntries(lines) };
}

type Run = { readonly accession: Accession; readonly lines: string[] };

/** The runs of lines with one accession number. */
async function* streamedFilings(source: Source): AsyncGenerator<Run> {
  if (source.streamed === null) return;
  let run: Run = { accession: '' as Accession, lines: [] };
  for await (const owned of ownedLines(source, source.streamed)) {
    for (const { accession, line } of owned) {
      if (run.accession === accession) {
        addLine(run.lines, line, { table: source.streamed, accession });
        continue;
      }
      if (run.lines.length > 0) yield run;
      run = { accession, lines: [line] };
    }
  }
  if (run.lines.length > 0) yield run;
}

/** Characters. Real lines stay under 10,000. */
const MAX_LINE = 2 ** 20;

/**
 * The lines of a table, some thousands at a time and without their ends. The SEC's tables have no quoting:
 * a quote is a character like any other, and no field has a line break or tab. Bytes that are not UTF-8
 * become U+FFFD, because one name must not stop a quarter.
 * Throws `edgar_malformed` for a stream that breaks, as that of a damaged zip does, and for a line without end.
 */
export async function* linesOf(stream: Readable): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      // Joining such a line again and again is quadratic.
      if (rest.length > MAX_LINE) throw new Error(`a line has more than ${MAX_LINE} characters`);
      yield lines.map(withoutReturn);
    }
  } catch (cause) {
    throw malformed('a table', cause instanceof Error ? cause.message : String(cause), cause);
  }
  rest += decoder.decode();
  if (rest !== '') yield [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
