import type { Db } from 'mongodb';
import type { Ticker } from '../../domain/ids.ts';
import { currentBriefsIn } from '../../store/publish/briefs.ts';
import { currentBrief } from './brief.ts';

/**
 * The current brief of the ticker with the most managers observed, ties alphabetical (rule 11.10). A count
 * of an earlier publication may only be too high, because managers that are late stop counting: so the
 * highest is built again until it is one of the present publication.
 */
export async function mostObserved(
  db: Db,
  now: () => Date,
): Promise<{ ticker: Ticker; briefId: string } | null> {
  let counted: Ticker | null = null;
  for (;;) {
    const [most] = await currentBriefsIn(db).find().sort({ managersObserved: -1, _id: 1 }).limit(1).toArray();
    if (most === undefined) return null;
    const { briefId } = await currentBrief(db, most._id, now);
    if (counted === most._id || briefId === most.briefId) return { ticker: most._id, briefId };
    counted = most._id;
  }
}
