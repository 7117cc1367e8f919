import { showBrief } from '../src/read/brief/brief.ts';
import { setOnRead } from '../src/store/invalidation/briefs.ts';
import { pendingInvalidation, settleInvalidation } from '../src/store/invalidation/pending.ts';
import { noteAnnounced } from '../src/store/publish/briefs.ts';
import { isDue } from './pending/enqueue.ts';
import type { Job } from './worker/context.ts';

/**
 * Builds a ticker's brief and shows it, unless a later version is shown. API processes hear of a new id only.
 * The next change of a brief that nobody asked for lately is left to its reader (rule 13.7).
 */
export const brief: Job<'brief'> = async (context, { ticker }) => {
  const { db, now } = context;
  const pending = await pendingInvalidation(db, 'brief', ticker);
  if (pending === null || !(await isDue(context, 'current_briefs', { key: ticker, ...pending }))) return;
  const { version } = pending;
  // Ahead of the build: a reader who comes meanwhile says otherwise, and is the last one to say it.
  await setOnRead(db, ticker, true);
  const shown = await showBrief(db, ticker, { ...pending, at: now().toISOString() });
  // A reader had one built for a later publication, perhaps before what is pending here: build it again.
  if (!shown.isShown) return;
  if (shown.isNews) {
    await context.announceCurrentBrief(ticker);
    await noteAnnounced(db, ticker, shown.brief.briefId);
  }
  // Ahead of the end: while it is pending, no change is left to readers.
  if (shown.isAsked) await setOnRead(db, ticker, false);
  await settleInvalidation(db, 'brief', ticker, version);
};
