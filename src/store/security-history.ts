import type { Db } from 'mongodb';
import type { Cusip, QuarterEnd } from '../domain/ids.ts';
import { previousQuarterEnd } from '../domain/quarter.ts';
import { type QuarterHistory, securityNames } from '../domain/security-names.ts';
import { cusipChangesIn, eventsOfQuarters } from './consensus.ts';
import { publishedCorpus } from './corpus.ts';

/** A CUSIP older than this many quarters before the reports is no name of the security any more. */
export const QUARTERS_FOLLOWED = 4;

/** The quarters whose changes of CUSIP are followed for reports of this one, the latest first. */
export function quartersFollowed(quarterEnd: QuarterEnd): QuarterEnd[] {
  const quarters = [quarterEnd];
  while (quarters.length < QUARTERS_FOLLOWED)
    quarters.push(previousQuarterEnd(quarters.at(-1) as QuarterEnd));
  return quarters;
}

/** A security with all that filers said of it and of the CUSIPs that it had before. */
export type SecurityHistory = {
  readonly cusip: Cusip;
  /** Every name that it had in the quarters followed, the present one first. */
  readonly cusips: readonly Cusip[];
  readonly quarters: readonly QuarterHistory[];
};

/**
 * What is to be known to read reports of `reported`, and of quarters before it, as reports of the
 * security that has the CUSIP in `latest`.
 */
export async function securityHistory(
  db: Db,
  cusip: Cusip,
  { reported, latest }: { readonly reported: QuarterEnd; readonly latest: QuarterEnd },
): Promise<SecurityHistory> {
  const quarters = quartersFollowed(reported);
  let later = latest;
  while (later > reported) {
    quarters.push(later);
    later = previousQuarterEnd(later);
  }
  const all = await eventsOfQuarters(db, quarters);
  const names = securityNames(cusip, all, { reported, counted: reported });
  const cusips = names.map((name) => name.cusip);
  const known = new Set(cusips);
  return {
    cusip,
    cusips,
    quarters: all.map(({ quarterEnd, events }) => ({
      quarterEnd,
      events: events.filter((event) => known.has(event.cusip)),
    })),
  };
}

/**
 * The CUSIPs and all that are one security with one of them, earlier and later ones, as far as briefs
 * follow its changes: what a report says under one name is in the brief of a ticker that the sources
 * may know by another.
 */
export async function relatedCusips(
  db: Db,
  quarterEnd: QuarterEnd,
  cusips: readonly string[],
): Promise<string[]> {
  const published = (await publishedCorpus(db))?.corpus.state.latestReportedQuarterEnd ?? quarterEnd;
  const latest = published > quarterEnd ? published : quarterEnd;
  const changes = await cusipChangesIn(db, quartersFollowed(latest));
  const related = new Set(cusips);
  let known = -1;
  while (known !== related.size) {
    known = related.size;
    for (const { change } of changes) {
      if (related.has(change.cusip) || related.has(change.from)) related.add(change.cusip).add(change.from);
    }
  }
  return [...related];
}
