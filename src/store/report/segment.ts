import type { Binary } from 'mongodb';
import { batches, groupBy } from '../../domain/group.ts';
import type { Cik, Cusip, QuarterEnd } from '../../domain/ids.ts';
import type { ReportKey } from '../filing/filings.ts';
import { listText, packText, unpack } from '../mongo/pack.ts';

/** The rows of a report under one digest. */
export type DigestKey = ReportKey & { readonly digest: string };

/** A bucket of securities in a quarter. */
export const sliceOf = (bucket: string, quarterEnd: QuarterEnd): string => `${bucket}|${quarterEnd}`;

/** The id of the document with the rows of one report in a slice. */
export const looseId = (slice: string, { cik, digest }: Pick<DigestKey, 'cik' | 'digest'>): string =>
  `${slice}|${cik}|${digest}`;

export function keyOf(id: string): DigestKey {
  const [, quarterEnd, cik, digest] = id.split('|') as [string, QuarterEnd, Cik, string];
  return { cik, quarterEnd, digest };
}

export const securityOf = (cusip: Cusip, quarterEnd: QuarterEnd): string => `${cusip}|${quarterEnd}`;

/**
 * Rows of many reports of a sealed quarter. A slice is sealed as one generation of segments; while a later
 * one replaces it, both are there.
 */
export type SegmentDoc = {
  /** `<slice>|segment|<generation>|<number>` */
  _id: string;
  slice: string;
  securities?: string[];
  segment: Binary;
  /** The data set, or other writer, that wrote it and shows its reports later. */
  dataSet?: string;
};

/** A stored row, its CUSIP first, with the id of the document that it stood in alone. */
export type StoredRow = { readonly id: string; readonly row: readonly unknown[] };

/** A row as JSON: the digest of its report and every document with it are of this one text. */
export type RowText = { readonly cusip: Cusip; readonly json: string };

/** The same with the id of the document that it stands in alone. */
export type StoredText = RowText & { readonly id: string };

/** Rows of one segment: a security with few holders is read with little of other securities. */
const ROWS = 500;

/** Each id once; each row with the place of its id. */
type Segment = {
  readonly ids: readonly string[];
  readonly rows: readonly (readonly [place: number, row: readonly unknown[]])[];
};

/** The rows of a slice as one generation of segments, by security. */
export function segmentsOf(slice: string, generation: string, rows: readonly StoredText[]): SegmentDoc[] {
  const [, quarterEnd] = slice.split('|') as [string, QuarterEnd];
  const bySecurity = [...groupBy(rows, ({ cusip }) => cusip).values()].flat();
  return [...batches(bySecurity, ROWS)].map((own, number) => ({
    _id: `${slice}|segment|${generation}|${String(number).padStart(4, '0')}`,
    slice,
    securities: [...new Set(own.map(({ cusip }) => cusip))].map((cusip) => securityOf(cusip, quarterEnd)),
    segment: packText(segmentText(own)),
  }));
}

/** A {@link Segment}. */
function segmentText(rows: readonly StoredText[]): string {
  const places = new Map<string, number>();
  const placed = rows.map(({ id, json }) => {
    const place = places.get(id) ?? places.size;
    places.set(id, place);
    return `[${place},${json}]`;
  });
  return `{"ids":${JSON.stringify([...places.keys()])},"rows":${listText(placed)}}`;
}

/** The rows of segments, of all securities or of some; a row of several generations once. */
export function* rowsOfSegments(
  segments: readonly SegmentDoc[],
  cusips?: ReadonlySet<Cusip>,
): Generator<StoredRow> {
  for (const own of groupBy(segments, ({ slice }) => slice).values()) {
    const generations = new Set(own.map(generationOf)).size;
    const rows = own.flatMap(({ segment }) => rowsOfSegment(segment, cusips));
    yield* generations === 1 ? rows : onceEach(rows);
  }
}

function rowsOfSegment(segment: Binary, cusips: ReadonlySet<Cusip> | undefined): StoredRow[] {
  const { ids, rows } = unpack<Segment>(segment);
  return rows.flatMap(([place, row]) => {
    const id = ids[place];
    return id === undefined || cusips?.has(row[0] as Cusip) === false ? [] : [{ id, row }];
  });
}

function onceEach(rows: readonly StoredRow[]): Iterable<StoredRow> {
  return new Map(rows.map((stored) => [`${stored.id}|${stored.row[0]}`, stored])).values();
}

function generationOf({ _id }: Pick<SegmentDoc, '_id'>): string {
  return _id.split('|')[3] ?? '';
}
