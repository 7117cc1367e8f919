import { SANDBOX_BALANCE, SANDBOX_ORGANIZATION } from '../../sandbox/organization.ts';
import type { KeyMode } from '../../store/account/keys.ts';
import type { Api } from '../api.ts';
import { briefSource } from '../cache/brief-source.ts';
import type { Reading } from '../endpoint/endpoint.ts';

type Reader = {
  readonly credential: { readonly orgId: string };
  readonly mode: KeyMode;
  readonly balance: number;
};

/**
 * What a call may read: the data and its own organisation; for a test key the sandbox and the
 * organisation there. A key never reads the data of the other mode.
 */
export async function readingOf(
  api: Pick<Api, 'db' | 'forms' | 'briefs' | 'sandbox' | 'siteUrl' | 'store'>,
  { credential, mode, balance }: Reader,
): Promise<Reading> {
  const { siteUrl, forms } = api;
  if (mode === 'test') {
    const db = await api.sandbox.ready();
    const { load: findBrief } = briefSource(db, api.store.now);
    return { db, siteUrl, forms, orgId: SANDBOX_ORGANIZATION.id, balance: SANDBOX_BALANCE, findBrief };
  }
  const findBrief: Reading['findBrief'] = async (ticker) => (await api.briefs.find(ticker)).brief;
  return { db: api.db, siteUrl, forms, orgId: credential.orgId, balance, findBrief };
}
