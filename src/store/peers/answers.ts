import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import { quartersInForce } from '../../domain/change/in-force.ts';
import { type CorporateActionsByCusip, corporateActionsByCusip } from '../../domain/change/restate.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import { type CusipChange, NO_VERDICT, type ReportVerdict } from '../../domain/peers/verdict.ts';
import type { ReportKey } from '../filing/filings.ts';
import {
  changesOfDigests,
  peersDigests,
  peerVerdictsIn,
  unpackCorporateActions,
} from './corporate-actions.ts';
import { unpackVerdicts, type Verdicts } from './verdicts.ts';

/** What the peers of one quarter say. */
type Answer = { readonly actions: CorporateActionsByCusip; readonly verdicts: Verdicts };

const NO_ANSWER: Answer = { actions: new Map(), verdicts: new Map() };

/** Whole answers by their digest: an equal digest has equal answers. A quarter of all managers takes some megabytes. */
const kept = new LRUCache<string, Answer>({ max: 6 });

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
export function quartersBehind(quarterEnd: QuarterEnd): QuarterEnd[] {
  return [quarterEnd, ...quartersInForce(quarterEnd)];
}

/**
 * The answers under the digests of this moment: one read of the digests for any number of reports. What a
 * process has met before it does not read again, so a report costs the same in a quarter of any size.
 */
export async function peersAnswers(db: Db, quarters: Iterable<QuarterEnd>): Promise<PeersAnswers> {
  const behind = [...new Set([...quarters].flatMap(quartersBehind))];
  const found = await peersDigests(db, behind);
  const digests = new Map(behind.map((quarter, at) => [quarter, found[at] ?? '']));
  const digestOf = (quarter: QuarterEnd): string => digests.get(quarter) ?? '';
  const reading = new Map<QuarterEnd, Promise<Answer>>();
  const answerOf = (quarter: QuarterEnd): Promise<Answer> => {
    const answer = reading.get(quarter) ?? readAnswer(db, quarter, digestOf(quarter));
    reading.set(quarter, answer);
    return answer;
  };
  return {
    digests,
    actionsOf: async (quarter) => (await answerOf(quarter)).actions,
    earlierOf: (quarter) =>
      changesOfDigests(
        db,
        quartersInForce(quarter).map((earlier) => [earlier, digestOf(earlier)] as const),
      ),
    verdictOf: async ({ cik, quarterEnd }) => (await answerOf(quarterEnd)).verdicts.get(cik) ?? NO_VERDICT,
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

async function readAnswer(db: Db, quarterEnd: QuarterEnd, digest: string): Promise<Answer> {
  if (digest === '') return NO_ANSWER;
  const known = kept.get(digest);
  if (known !== undefined) return known;
  const doc = await peerVerdictsIn(db).findOne({ _id: quarterEnd });
  if (doc === null) return NO_ANSWER;
  const answer = {
    actions: corporateActionsByCusip(unpackCorporateActions(doc.corporateActions)),
    verdicts: unpackVerdicts(doc.verdicts),
  };
  kept.set(doc.digest, answer);
  return answer;
}
