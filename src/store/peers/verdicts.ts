import type { Binary, Db } from 'mongodb';
import { compare } from '../../domain/compare.ts';
import type { Cik } from '../../domain/ids.ts';
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
  return unpackPart(part, VERDICT).map(({ cik, moved, ...verdict }) => [
    cik,
    // Version 4 stored none.
    { ...verdict, moved: moved ?? [] },
  ]);
}

/** What the other filers imply about one report; {@link NO_VERDICT} where they imply nothing. */
export async function findVerdict(db: Db, { cik, quarterEnd }: ReportKey): Promise<ReportVerdict> {
  const part = partOf(cik);
  const doc = await peerVerdictsIn(db).findOne(
    { _id: quarterEnd },
    { projection: { [`verdicts.${part}`]: 1 } },
  );
  return new Map(verdictsOf(doc?.verdicts?.[part])).get(cik) ?? NO_VERDICT;
}
