import type { IncomingMessage } from 'node:http';
import type { Presented } from '../../credits/account/gate.ts';
import type { Api } from '../api.ts';
import { type Problem, unauthorized } from '../http/problem.ts';

export type Admitted =
  | { readonly presented: Presented; readonly problem: null }
  | { readonly presented: null; readonly problem: Problem };

/** Reads the key, without asking anyone: 401 when there is none, 429 when an address failed too often. */
export async function admit(api: Api, req: IncomingMessage): Promise<Admitted> {
  const credential = api.readCredential(req);
  const isKnown = credential.kind === 'presented' && api.accounts.known(credential.presented.keyId) !== null;
  const barred = isKnown ? null : await api.authFailures.refuse(req);
  if (barred !== null) return { presented: null, problem: barred };
  if (credential.kind === 'presented') return { presented: credential.presented, problem: null };
  await api.authFailures.count(req);
  return { presented: null, problem: unauthorized(credential.kind === 'invalid') };
}
