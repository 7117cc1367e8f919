import type { IncomingMessage } from 'node:http';
import { unauthorized } from '../http/problem.ts';
import type { Api } from '../open.ts';

/** Reads the key without any look-up: 401 without one, 429 when the address failed too often. */
export async function admit(api: Api, req: IncomingMessage) {
  const credential = api.readCredential(req);
  const isKnown = credential.kind === 'presented' && api.accounts.known(credential.presented.keyId) !== null;
  const refused = isKnown ? null : await api.authFailures.refuse(req);
  if (refused !== null) return { presented: null, problem: refused };
  if (credential.kind === 'presented') return { presented: credential.presented, problem: null };
  await api.authFailures.count(req);
  return { presented: null, problem: unauthorized(credential.kind === 'invalid') };
}
