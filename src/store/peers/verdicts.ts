import type { Binary, Db } from 'mongodb';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import { type FilingScale, NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import type { ReportKey } from '../filing/filings.ts';
import { pack, unpack } from '../mongo/packed.ts';
import { peerVerdictsIn } from './corporate-actions.ts';

/** Verdicts of a quarter lie in so many parts of its document, so that one is read without the others. */
const PARTS = 16;

export type Verdicts = ReadonlyMap<Cik, ReportVerdict>;

type PackedScale = Omit<FilingScale, 'scaleCents'> & { readonly scaleCents: string };
type PackedVerdict = Omit<ReportVerdict, 'scales'> & { readonly scales: readonly PackedScale[] };

const partOf = (cik: Cik): string => (Number(cik) % PARTS).toString(16);

/** In order of CIK, so that equal verdicts give equal bytes. */
export function packVerdicts(verdicts: Verdicts): Record<string, Binary> {
  const parts = new Map<string, [Cik, PackedVerdict][]>();
  for (const [cik, verdict] of [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const part = parts.get(partOf(cik)) ?? [];
    part.push([cik, verdictToJson(verdict)]);
    parts.set(partOf(cik), part);
  }
  return Object.fromEntries([...parts].map(([part, packed]) => [part, pack(packed)]));
}

export function unpackVerdicts(parts: Record<string, Binary>): Verdicts {
  return new Map(Object.values(parts).flatMap(unpackPart));
}

/** Amounts as decimal text: JSON has no bigint. */
export function verdictToJson(verdict: ReportVerdict): PackedVerdict {
  const scales = verdict.scales.map((scale) => ({ ...scale, scaleCents: scale.scaleCents.toString() }));
  return { ...verdict, scales };
}

function unpackPart(binary: Binary): [Cik, ReportVerdict][] {
  return unpack<[Cik, PackedVerdict][]>(binary).map(([cik, verdict]) => [cik, verdictFromJson(verdict)]);
}

function verdictFromJson(verdict: PackedVerdict): ReportVerdict {
  const scales = verdict.scales.map((scale) => ({ ...scale, scaleCents: BigInt(scale.scaleCents) }));
  return { ...verdict, scales };
}

/** What the others' reports say of one report; an empty verdict where they say nothing. */
export async function findVerdict(db: Db, { cik, quarterEnd }: ReportKey): Promise<ReportVerdict> {
  const part = partOf(cik);
  const doc = await peerVerdictsIn(db).findOne(
    { _id: quarterEnd },
    { projection: { [`verdicts.${part}`]: 1 } },
  );
  const packed = doc?.verdicts?.[part];
  if (packed === undefined) return NO_VERDICT;
  return unpackPart(packed).find(([other]) => other === cik)?.[1] ?? NO_VERDICT;
}

/** All of a quarter that are not empty, by manager. */
export async function verdictsOfQuarter(db: Db, quarterEnd: QuarterEnd): Promise<Verdicts> {
  const doc = await peerVerdictsIn(db).findOne({ _id: quarterEnd }, { projection: { verdicts: 1 } });
  return doc === null ? new Map() : unpackVerdicts(doc.verdicts);
}
