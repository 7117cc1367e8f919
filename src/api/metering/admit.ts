import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Presented } from '../../credits/account/gate.ts';
import { mayBeOurs } from '../../credits/account/key.ts';
import { unsentKey } from '../admission/credential.ts';
import { unauthorized } from '../http/problem.ts';
import type { Api } from '../open.ts';

/**
 * Reads the key without any look-up: 401 without one, 429 when the address failed too often. A key that this
 * process has authenticated passes from any address.
 */
export async function admit(api: Api, req: IncomingMessage, res: ServerResponse) {
  const credential = api.readCredential(req);
  const presented = credential.kind === 'presented' ? credential.presented : null;
  if (presented !== null && api.accounts.known(presented) !== null) return { presented, problem: null };
  const refused = await api.authFailures.refuse(req, res, wellFormed(api, presented));
  if (refused !== null) return { presented: null, problem: refused };
  if (presented !== null) return { presented, problem: null };
  await api.authFailures.count(req, res);
  return { presented: null, problem: unauthorized(unsentKey(req, credential)) };
}

function wellFormed({ store }: Api, presented: Presented | null) {
  if (presented === null) return null;
  const { keyId } = presented;
  return { keyId, mayBeOurs: mayBeOurs(keyId, store.pepper) };
}
