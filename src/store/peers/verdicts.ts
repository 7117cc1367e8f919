import type { Binary, Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { type FilingScale, NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import type { ReportKey } from '../filing/filings.ts';
import { AMOUNT, listOf, PLAIN, packParts, tupleOf, unpackPart } from '../mongo/pack.ts';
import { peerVerdictsIn } from './corporate-actions.ts';

export type Verdicts = ReadonlyMap<Cik, ReportVerdict>;

type StoredVerdict = ReportVerdict & { readonly cik: Cik };

/** A quarter's verdicts are in this many parts of its document, so that one is read without the others. */
const PARTS = 16;

const VERDICT = tupleOf<StoredVerdict>({
  cik: PLAIN,
  scales: listOf(tupleOf<FilingScale>({ accession: PLAIN, scaleCents: AMOUNT, reasons: PLAIN })),
  outliers: PLAIN,
  identicalTo: PLAIN,
  moved: PLAIN,
});

const partOf = (cik: Cik): string => (Number(cik) % PARTS).toString(16);

/** Each verdict as JSON, in order of CIK: equal verdicts are equal JSON. */
export function encodeVerdicts(verdicts: Verdicts): [Cik, unknown][] {
  return inOrder(verdicts).map((verdict) => [verdict.cik, VERDICT.encode(verdict)]);
}

export function packVerdicts(verdicts: Verdicts): Record<string, Binary> {
  return packParts(inOrder(verdicts), ({ cik }) => partOf(cik), VERDICT);
}

function inOrder(verdicts: Verdicts): StoredVerdict[] {
  const all = [...verdicts].map(([cik, verdict]) => ({ cik, ...verdict }));
  return all.sort((a, b) => compare(a.cik, b.cik));
}

export function unpackVerdicts(parts: Record<string, Binary>): Verdicts {
  return new Map(Object.values(parts).flatMap(verdictsOf));
}

function verdictsOf(part: Binary | undefined): [Cik, ReportVerdict][] {
  return unpackPart(part, VERDICT).map(({ cik, ...verdict }) => [cik, verdict]);
}

/** What the other filers imply about one report; {@link NO_VERDICT} where they imply nothing. */
export function findVerdict(db: Db, key: ReportKey): Promise<ReportVerdict> {
  return readingVerdicts(db)(key);
}

/** The same of many reports: each part is read once. */
export function readingVerdicts(db: Db): (key: ReportKey) => Promise<ReportVerdict> {
  const reading = new Map<string, Promise<Verdicts>>();
  return async ({ cik, quarterEnd }) => {
    const id = `${partOf(cik)}|${quarterEnd}`;
    const part = reading.get(id) ?? readPart(db, quarterEnd, partOf(cik));
    reading.set(id, part);
    return (await part).get(cik) ?? NO_VERDICT;
  };
}

async function readPart(db: Db, quarterEnd: QuarterEnd, part: string): Promise<Verdicts> {
  const projection = { [`verdicts.${part}`]: 1 };
  const doc = await peerVerdictsIn(db).findOne({ _id: quarterEnd }, { projection });
  return new Map(verdictsOf(doc?.verdicts?.[part]));
}
