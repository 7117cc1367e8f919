import { addDays } from '../../src/domain/calendar.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';
import { AS_OF, type Loaded, runToEnd } from './loaded.ts';
import type { Spent } from './probe.ts';

/** The day to which {@link measureAgain} turns the market. */
export const NEXT_DAY = addDays(AS_OF, 1);

export type Again = { readonly again: Spent; readonly nextDay: Spent; readonly built: number };

/** Ingests the same folder again on the same day, then on the next one. */
export async function measureAgain({ pipeline, probe }: Loaded): Promise<Again> {
  const { context } = pipeline;
  const { spent: again } = await probe(() => runToEnd(pipeline));
  const turned = { ...pipeline, context: { ...context, config: { ...context.config, asOf: NEXT_DAY } } };
  const since = new Date().toISOString();
  const { spent: nextDay } = await probe(() => runToEnd(turned));
  const built = await currentBriefsIn(context.db).countDocuments({ at: { $gte: since } });
  return { again, nextDay, built };
}
