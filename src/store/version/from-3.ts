import type { Db } from 'mongodb';
import { LAST_LANE } from '../../domain/filing/lane.ts';
import type { CorporateAction } from '../../domain/peers/verdict.ts';
import { noteIssuers } from '../filing/data-sets.ts';
import { invalidationsIn } from '../invalidation/invalidation.ts';
import type { Beat } from '../mongo/lock.ts';
import { pack, unpack } from '../mongo/pack.ts';
import { peerVerdictsIn } from '../peers/corporate-actions.ts';
import { briefsIn } from '../publish/kept-briefs.ts';
import { migrateBriefs } from './briefs-from-3.ts';

/**
 * Version 3 to 4: invalidations have a lane; what was pending before has no known one. Trades have a kind, and
 * those of every issuer are written again by the last step. The evidence of stored briefs is in pages, and all are
 * kept, because nobody knows which ones a reader got. Imports that are not finished go on.
 */
export async function migrateFrom3(db: Db, beat: Beat): Promise<void> {
  await invalidationsIn(db).updateMany({ lane: { $exists: false } }, { $set: { lane: LAST_LANE } });
  await briefsIn(db).updateMany(
    { kept: { $exists: false } },
    { $set: { kept: true }, $unset: { expiresAt: '' } },
  );
  await noteIssuers(db);
  await migrateBriefs(db, beat);
  await migratePeers(db);
}

/** Until a quarter is computed again, what its filers implied is in the present shape. */
async function migratePeers(db: Db): Promise<void> {
  for await (const { _id, corporateActions } of peerVerdictsIn(db).find()) {
    const present = unpack<OldAction[]>(corporateActions).flatMap(presentAction);
    await peerVerdictsIn(db).updateOne({ _id }, { $set: { corporateActions: pack(present) } });
  }
}

type OldAction = { readonly kind: CorporateAction['kind'] | 'common_ratio' | 'refuted' };

/** A refutation and a common ratio have no successor. */
function presentAction(action: OldAction): object[] {
  return action.kind === 'common_ratio' || action.kind === 'refuted' ? [] : [action];
}
