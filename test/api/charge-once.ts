import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { charge } from '../../src/api/metering/settle.ts';
import { closeApi, openApi } from '../../src/api/open.ts';
import { digestOf } from '../../src/credits/account/key.ts';
import { revokeKey } from '../../src/credits/account/key-life.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import type { Stage } from './stage.ts';

/**
 * Charges 10 of 100 credits where the first reply is lost after the script ran and the key is revoked
 * before the second try: what that try answered, and the balance from then on.
 */
export async function chargeOnce(
  stage: Stage,
  attemptId: string,
): Promise<{ kind: string; balance: () => Promise<number> }> {
  const { context, credits, creditsTag, store } = stage.world;
  const api = await openApi(context);
  const { key, keyId, orgId } = await stage.newKey(100);
  const credential = { keyId, orgId, epoch: 1, digest: digestOf(key, store.pepper) };
  const call = { cost: 10, tool: 'test', attemptId, request: attemptId, fingerprint: '' };
  let isLost = false;
  const wallet: typeof api.wallet = {
    ...api.wallet,
    async charge(...args) {
      const result = await api.wallet.charge(...args);
      if (isLost) return result;
      isLost = true;
      await revokeKey(stage.store, keyId);
      throw new Error('Connection is closed.');
    },
  };
  const res = { destroyed: false, req: { socket: new Socket() } } as unknown as ServerResponse;
  const charged = await charge({ ...api, wallet }, { res, credential, call }, () => undefined);
  await api.voids.drain(5_000);
  await closeApi(api);
  const balance = async () => Number(await credits.hget(redisKeys(creditsTag).org(orgId), 'bal'));
  return { kind: typeof charged === 'string' ? charged : charged.kind, balance };
}
