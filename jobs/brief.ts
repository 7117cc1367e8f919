import { buildWithEvidence } from '../src/domain/brief/brief.ts';
import { loadBriefInput } from '../src/read/brief/brief.ts';
import { pendingVersion, settleInvalidation } from '../src/store/invalidation/invalidations.ts';
import { noteAnnounced, saveBrief, setCurrentBrief } from '../src/store/publish/briefs.ts';
import { isDue } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/** Builds a ticker's brief and shows it, unless a later version is shown. API processes hear of a new id only. */
export const brief: Job<'brief'> = async (context, { ticker }) => {
  const { db, now } = context;
  const version = await pendingVersion(db, 'brief', ticker);
  if (version === null || !(await isDue(context, 'current_briefs', ticker))) return;
  const at = now().toISOString();
  const { brief: built, evidence } = buildWithEvidence(await loadBriefInput(db, ticker, at));
  const briefId = built.brief_id;
  const body = Buffer.from(JSON.stringify({ data: built }));
  await saveBrief(db, { _id: briefId, ticker, body, evidence, generatedAt: at });
  const managersObserved = built.institutional.tracked_managers_observed;
  const current = { _id: ticker, briefId, version, at, managersObserved };
  if (await setCurrentBrief(db, current)) {
    await context.announceCurrentBrief(ticker);
    await noteAnnounced(db, ticker, briefId);
  }
  await settleInvalidation(db, 'brief', ticker, version);
};
