import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { currentBriefsIn } from '../../src/store/publish/briefs.ts';
import type { Loaded } from './loaded.ts';
import { type Spent, typical } from './probe.ts';

export type OneBrief = {
  readonly holders: number;
  /** Forms 4 of the issuer in the window: they are what the insiders' leg is computed from. */
  readonly forms: number;
  readonly spent: Spent;
};

/** Loads the inputs of the brief whose number of holders is nearest. */
export async function measureBrief({ pipeline, probe }: Loaded, wanted: number): Promise<OneBrief> {
  const { db } = pipeline.context;
  const distance = (count: number | bigint): number => Math.abs(Number(count) - wanted);
  const shown = await currentBriefsIn(db).find({}).toArray();
  const [nearest] = shown.sort((a, b) => distance(a.managersObserved) - distance(b.managersObserved));
  if (nearest === undefined) throw new Error('no brief was built');
  const load = () => loadBriefInput(db, nearest._id, '');
  const forms = (await load()).ownershipFilings.length;
  return { holders: Number(nearest.managersObserved), forms, spent: await typical(probe, load) };
}

/** Documents read over the goal: 3 a holder and 50, and each Form 4 of the window once. */
export function documentsOverGoal({ holders, forms, spent }: OneBrief): number {
  return (spent.documents - forms) / (3 * holders + 50);
}
