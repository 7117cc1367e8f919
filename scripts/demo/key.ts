import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { createKey } from '../../src/credits/account/key-life.ts';
import type { KeyStore } from '../../src/credits/account/key-store.ts';
import { grantCredits } from '../../src/credits/grant.ts';

const ORGANIZATION = 'demo';
const CREDITS = 10_000;
/** Many times the price of a brief. */
const LOW = 1_000;
const balanceReply = z.object({ data: z.object({ balance: z.int() }) });

/**
 * The key of an earlier run if the API still knows it, with more credits when they run low; else a new
 * key of the organisation `demo`. A key is shown only once, so the home stores it.
 */
export async function demoKey(home: string, apiUrl: string, store: KeyStore): Promise<string> {
  const path = join(home, 'demo-key');
  const kept = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  const balance = kept === '' ? null : await balanceOf(kept, apiUrl);
  if (balance !== null) {
    if (balance < LOW) await grantCredits(store, { org: ORGANIZATION, amount: CREDITS, reason: 'demo' });
    return kept;
  }
  const { key } = await createKey(store, { orgName: ORGANIZATION, credits: CREDITS, label: 'demo' });
  writeFileSync(path, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Null when the API does not know the key. */
async function balanceOf(key: string, apiUrl: string): Promise<number | null> {
  const answer = await fetch(`${apiUrl}/v1/credits`, { headers: { Authorization: `Bearer ${key}` } });
  const body: unknown = await answer.json();
  return answer.status === 200 ? balanceReply.parse(body).data.balance : null;
}
