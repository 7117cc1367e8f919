import type { Binary, Db } from 'mongodb';
import {
  type CorporateActionsByCusip,
  corporateActionsByCusip,
  quartersInForce,
} from '../../domain/change/restate.ts';
import { compare } from '../../domain/compare.ts';
import type { Cik, QuarterEnd } from '../../domain/ids.ts';
import {
  type CusipChange,
  type FilingScale,
  NO_VERDICT,
  type ReportVerdict,
} from '../../domain/peers/verdict.ts';
import type { ReportKey } from '../filing/filings.ts';
import { AMOUNT, listOf, PLAIN, packParts, tupleOf, unpackPart } from '../mongo/pack.ts';
import { actionsOfDigests, changesOfDigests, peersDigests, peerVerdictsIn } from './corporate-actions.ts';

/** What peers say of some quarters and of those whose changes of CUSIP are in force in them. */
export type PeersAnswers = {
  /** By quarter, empty for one that was not computed: what comparisons with these answers rest on. */
  readonly digests: ReadonlyMap<QuarterEnd, string>;
  readonly actionsOf: (quarterEnd: QuarterEnd) => Promise<CorporateActionsByCusip>;
  /** The earlier changes that are in force in the quarter, the newest first. */
  readonly earlierOf: (quarterEnd: QuarterEnd) => Promise<readonly CusipChange[]>;
  readonly verdictOf: (key: ReportKey) => Promise<ReportVerdict>;
};

/** The quarters on whose peers the comparison of a report rests, its own first. */
function quartersBehind(quarterEnd: QuarterEnd): QuarterEnd[] {
  return [quarterEnd, ...quartersInForce(quarterEnd)];
}

/**
 * The answers under the digests of this moment: one read of the digests for any number of reports. Actions that the
 * process has met before are not read again, and of verdicts only the parts of the reports.
 */
export async function peersAnswers(db: Db, quarters: Iterable<QuarterEnd>): Promise<PeersAnswers> {
  const behind = [...new Set([...quarters].flatMap(quartersBehind))];
  const found = await peersDigests(db, behind);
  const digests = new Map(behind.map((quarter, at) => [quarter, found[at] ?? '']));
  const digestOf = (quarter: QuarterEnd): string => digests.get(quarter) ?? '';
  const reading = new Map<QuarterEnd, Promise<CorporateActionsByCusip>>();
  const actionsOf = (quarter: QuarterEnd): Promise<CorporateActionsByCusip> => {
    const actions = reading.get(quarter) ?? readActions(db, quarter, digestOf(quarter));
    reading.set(quarter, actions);
    return actions;
  };
  return {
    digests,
    actionsOf,
    earlierOf: (quarter) =>
      changesOfDigests(
        db,
        quartersInForce(quarter).map((earlier) => [earlier, digestOf(earlier)] as const),
      ),
    verdictOf: readingVerdicts(db),
  };
}

/** Whether the peers of the quarters still say what they said. */
export async function stillSay(
  db: Db,
  { digests }: PeersAnswers,
): Promise<(quarterEnd: QuarterEnd) => boolean> {
  const quarters = [...digests.keys()];
  const now = await peersDigests(db, quarters);
  const others = new Set(quarters.filter((quarter, at) => digests.get(quarter) !== now[at]));
  return (quarterEnd) => quartersBehind(quarterEnd).every((quarter) => !others.has(quarter));
}

async function readActions(db: Db, quarterEnd: QuarterEnd, digest: string): Promise<CorporateActionsByCusip> {
  const [found] = await actionsOfDigests(db, [[quarterEnd, digest]]);
  return corporateActionsByCusip(found?.corporateActions ?? []);
}

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
function readingVerdicts(db: Db): (key: ReportKey) => Promise<ReportVerdict> {
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
