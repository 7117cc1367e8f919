import { SANDBOX_BALANCE, SANDBOX_ORGANIZATION } from '../../sandbox/organization.ts';
import type { Api } from '../api.ts';
import { briefSource } from '../cache/brief-source.ts';
import type { Reading } from '../endpoint/endpoint.ts';
import type { OpenedCall } from './opened-call.ts';

/**
 * What a call may read: the data and its own organisation, or for a test key the sandbox and the
 * organisation there. Nothing of one can be reached with a key of the other.
 */
export async function readingOf(
  api: Pick<Api, 'db' | 'forms' | 'briefs' | 'sandbox' | 'siteUrl'>,
  { credential, mode, balance }: Pick<OpenedCall, 'credential' | 'mode' | 'balance'>,
): Promise<Reading> {
  const { siteUrl, forms } = api;
  if (mode === 'test') {
    const db = await api.sandbox.ready();
    const { load: findBrief } = briefSource(db);
    return { db, siteUrl, forms, orgId: SANDBOX_ORGANIZATION.id, balance: SANDBOX_BALANCE, findBrief };
  }
  const findBrief: Reading['findBrief'] = async (ticker) => (await api.briefs.find(ticker)).brief;
  return { db: api.db, siteUrl, forms, orgId: credential.orgId, balance, findBrief };
}
