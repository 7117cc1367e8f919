import type { Db } from 'mongodb';
import { saveSetting, settingOf } from '../../store/filing/settings.ts';
import { invalidate } from '../../store/invalidation/invalidations.ts';
import { peerVerdictsIn } from '../../store/peers/corporate-actions.ts';
import { PEERS_METHOD } from './input.ts';

const SETTING = 'peers_method';

/** Invalidates every quarter once when its answers were computed by another method: no report changed then. */
export async function followMethod(db: Db): Promise<void> {
  if ((await settingOf(db, SETTING)) === PEERS_METHOD) return;
  const quarters = await peerVerdictsIn(db)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  await invalidate(
    db,
    'peers',
    quarters.map(({ _id }) => _id),
  );
  await saveSetting(db, SETTING, PEERS_METHOD);
}
