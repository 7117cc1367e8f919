import { checkEvents } from '../src/read/audit/events.ts';
import { saveEventCheck } from '../src/store/filing/event-checks.ts';
import type { Job } from './worker/context.ts';

/** Proves rule 13.1 and keeps the result for `tidemark status`. */
export const check: Job<'check'> = async ({ db, highestSeq, log, now }) => {
  const result = await checkEvents(db, await highestSeq.read(), now());
  await saveEventCheck(db, result);
  if (result.problem_count > 0) log.error({ problems: result.problems }, 'the stream of events is not whole');
};
