import { buildBrief } from '../src/domain/brief/brief.ts';
import type { Ticker } from '../src/domain/ids.ts';
import { loadBriefInput } from '../src/read/brief/input.ts';
import { invalidationsIn, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { saveBrief, setCurrentBrief } from '../src/store/publish/briefs.ts';
import type { Job } from './worker/context.ts';

/** Builds a ticker's brief and shows it, unless a later version is shown already. */
export const brief: Job<{ ticker: Ticker; version: number }> = async (context, { ticker }) => {
  const { db, now } = context;
  const marked = await invalidationsIn(db).findOne({ _id: `brief|${ticker}` });
  if (marked === null || !marked.pending) return;
  const version = Number(marked.version);
  const generatedAt = now().toISOString();
  const built = buildBrief(await loadBriefInput(db, ticker, generatedAt));
  const body = Buffer.from(JSON.stringify({ data: built }));
  await saveBrief(db, { _id: built.brief_id, ticker, body, generatedAt });
  const managersObserved = built.institutional.tracked_managers_observed;
  const head = { _id: ticker, briefId: built.brief_id, version, builtAt: generatedAt, managersObserved };
  await setCurrentBrief(db, head);
  await context.announceCurrentBrief(ticker);
  await settleInvalidation(db, 'brief', ticker, version);
};
