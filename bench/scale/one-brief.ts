import type { Db } from 'mongodb';
import { loadBriefInput } from '../../src/read/brief/brief.ts';
import { currentBriefsIn } from '../../src/store/publish/current-briefs.ts';

/** Finds the brief whose number of holders is nearest, and returns what loads its inputs. */
export async function oneBrief(db: Db, wanted: number) {
  const distance = (count: number | bigint): number => Math.abs(Number(count) - wanted);
  const shown = await currentBriefsIn(db).find({}).toArray();
  const [nearest] = shown.sort((a, b) => distance(a.managersObserved) - distance(b.managersObserved));
  if (nearest === undefined) throw new Error('no brief was built');
  const load = () => loadBriefInput(db, nearest._id, '');
  const forms = (await load()).ownershipFilings.length;
  return { holders: Number(nearest.managersObserved), forms, load };
}
