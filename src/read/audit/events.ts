import type { Db } from 'mongodb';
import {
  type EventCheck,
  type EventDoc,
  type EventProblem,
  eventsIn,
  headSeq,
  readEvents,
} from '../../store/filing/events.ts';
import { filingsIn } from '../../store/filing/filings.ts';
import { seqGaps } from '../../store/filing/settings.ts';
import { findByIds } from '../../store/mongo/lists.ts';

const PAGE = 1_000;
/** A filing may wait so long for its number. */
const OVERDUE_MS = 60_000;
const SHOWN = 20;

type Problems = { readonly shown: EventProblem[]; count: number };

/**
 * Proves rule 13.1 of everything that is stored. It follows the stream as a reader does, page by page, and
 * holds each event to its number, its filing and the collection. It may run beside a working pipeline: an
 * event whose filing is not marked yet is under way, and overdue a minute later.
 * @param highest the highest number that was ever published, as far as that is known
 */
export async function checkEvents(db: Db, highest: number, now: Date): Promise<EventCheck> {
  const problems: Problems = { shown: [], count: 0 };
  const gaps = await seqGaps(db);
  const head = await headSeq(db);
  const polled = await followStream(db, { head, gaps, problems });
  const events = await eventsIn(db).countDocuments({ _id: { $lte: head } });
  if (events !== polled.events) {
    note(problems, 'poller_differs', `${events} events are stored, and a reader gets ${polled.events}`);
  }
  const published = await filingsIn(db).countDocuments({ event: 'published', seq: { $lte: head } });
  const without = published - polled.agreed;
  if (without > 0) note(problems, 'filing_without_event', `${without} published filings have no event`);
  const known = Math.max(head, gaps.at(-1)?.to ?? 0);
  if (known < highest) note(problems, 'older_than_published', olderThan(known, highest));
  const pending = await checkPending(db, now, problems);
  return {
    at: now.toISOString(),
    ...{ head, events, gaps: gaps.length, published, pending, highest },
    ...{ problem_count: problems.count, problems: problems.shown },
  };
}

/** Why the sequencer refuses to number, and what helps. */
export function olderThan(head: number, highest: number): string {
  return `MongoDB ends at event ${head}, and ${highest} was published: it was restored from an older copy. Run: tidemark events restore-fence`;
}

type Following = {
  readonly head: number;
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
  readonly problems: Problems;
};

async function followStream(db: Db, { head, gaps, problems }: Following) {
  let since = 0;
  let events = 0;
  let agreed = 0;
  while (since < head) {
    const page = await readEvents(db, { forms: [], tickers: [], since, limit: PAGE });
    const inRange = page.events.filter((event) => Number(event._id) <= head);
    for (const event of inRange) {
      const seq = Number(event._id);
      const missing = missingBetween(since + 1, seq - 1, gaps);
      if (missing > 0) note(problems, 'missing_numbers', `${missing} numbers before event ${seq}`);
      since = seq;
    }
    events += inRange.length;
    agreed += await agreeing(db, inRange, problems);
    if (inRange.length < page.events.length || page.nextCursor >= head) break;
  }
  return { events, agreed };
}

/** How many numbers of a range are in no recorded gap. */
function missingBetween(from: number, to: number, gaps: Following['gaps']): number {
  const excused = gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(to, gap.to) - Math.max(from, gap.from) + 1),
    0,
  );
  return Math.max(0, to - from + 1) - excused;
}

/** Counts the events whose filing has their number. One that is still pending is under way. */
async function agreeing(db: Db, events: readonly EventDoc[], problems: Problems): Promise<number> {
  const projection = { event: 1, seq: 1 };
  const accessions = events.map(({ accession }) => accession);
  const filings = await findByIds(filingsIn(db), accessions, projection);
  const byAccession = new Map(filings.map((filing) => [filing._id, filing]));
  let agreed = 0;
  for (const { _id, accession } of events) {
    const filing = byAccession.get(accession);
    if (filing?.event === 'published' && Number(filing.seq) === Number(_id)) agreed += 1;
    else if (filing?.event !== 'pending') {
      const said = filing === undefined ? 'is not stored' : `is ${filing.event}, number ${filing.seq}`;
      note(problems, 'filing_disagrees', `${accession} of event ${_id} ${said}`);
    }
  }
  return agreed;
}

/** The lease of the parser ends after a filing became pending, so this is never too strict. */
async function checkPending(db: Db, now: Date, problems: Problems): Promise<number> {
  const before = new Date(now.getTime() - OVERDUE_MS).toISOString();
  const pending = await filingsIn(db).countDocuments({ event: 'pending' });
  const overdue = await filingsIn(db).countDocuments({ event: 'pending', nextAt: { $lt: before } });
  if (overdue > 0)
    note(problems, 'overdue', `${overdue} filings have waited longer than a minute for a number`);
  return pending;
}

function note(problems: Problems, code: EventProblem['code'], message: string): void {
  problems.count += 1;
  if (problems.shown.length < SHOWN) problems.shown.push({ code, message });
}
