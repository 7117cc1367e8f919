import type { IncomingMessage } from 'node:http';
import { unauthorized } from '../http/problem.ts';
import type { Api } from '../open.ts';

/**
 * Reads the key without any look-up: 401 without one, 429 when the address failed too often. A key that this
 * process has authenticated passes from any address.
 */
export async function admit(api: Api, req: IncomingMessage) {
  const credential = api.readCredential(req);
  const presented = credential.kind === 'presented' ? credential.presented : null;
  if (presented !== null && api.accounts.known(presented) !== null) return { presented, problem: null };
  const refused = await api.authFailures.refuse(req, presented !== null);
  if (refused !== null) return { presented: null, problem: refused };
  if (presented !== null) return { presented, problem: null };
  await api.authFailures.count(req);
  return { presented: null, problem: unauthorized(credential.kind === 'invalid') };
}
