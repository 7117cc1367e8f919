import type { Db } from 'mongodb';
import {
  type CorporateActionsByCusip,
  corporateActionsByCusip,
  quartersInForce,
} from '../../domain/change/restate.ts';
import type { QuarterEnd } from '../../domain/ids.ts';
import type { CusipChange, ReportVerdict } from '../../domain/peers/verdict.ts';
import type { ReportKey } from '../filing/filings.ts';
import { actionsOfDigests, changesOfDigests, peersDigests } from './corporate-actions.ts';
import { readingVerdicts } from './verdicts.ts';

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
