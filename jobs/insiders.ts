import { insiders as queue } from '../queues/insiders.ts';
import { reconcileIssuers } from '../src/derive/insider/writer.ts';
import { postponeInvalidations } from '../src/store/invalidation/invalidations.ts';
import { unitOfIssuers } from './pending/issuers.ts';
import { together } from './together.ts';
import type { Job } from './worker/context.ts';

/**
 * Reconciles issuers of history together: a unit of one part of them, and then the next one. One that cannot be
 * reconciled leaves the others to be reconciled alone, and goes to the back.
 */
export const insiders: Job<'insiders'> = async (context, { part }) => {
  const { db, precedence, producer, now } = context;
  await precedence.giveWay();
  const { unit, isLast } = await unitOfIssuers(context, part);
  if (unit.length === 0) return;
  const { failed } = await together(unit, (some) => reconcileIssuers(db, some));
  await postponeInvalidations(db, 'insider', [...failed.keys()]);
  for (const error of failed.values()) throw error;
  if (!isLast) await producer.enqueue(queue, { part, at: now().getTime() });
};
