import { recoverable } from '../credits/account/recovery.ts';
import { findKey, isAbove } from '../store/account/keys.ts';
import { findOrganization } from '../store/account/organizations.ts';
import type { Answer, SignedInRequest } from './answer.ts';
import type { ConnectContext } from './context.ts';
import { textOf } from './page-request.ts';
import { accountFault } from './pages/account.ts';
import { tooMany } from './refusal-page.ts';

export const WRONG_CODE = 'This is not the recovery code of this organisation.';

/** Whether the text is the organisation's valid recovery code; a refusal where many were tried. */
export async function provesOwner(
  { api, limits }: ConnectContext,
  { session, address }: SignedInRequest,
  text: string,
): Promise<boolean | Answer> {
  const wait = await limits.take('sign_in', address);
  if (wait !== null) return tooMany(wait, 'There were many recovery codes from your network.');
  return (await recoverable(api.store, text))?._id === session.orgId;
}

type Ended = { readonly keyId: string; readonly field: 'rotate_code' | 'revoke_code' };

/**
 * The answer to a form that ends a key which is older than that of the session, or was made with the recovery code,
 * without that code: a stolen key must not end those of its owner. Null when it may, also where the organisation has no code.
 */
export async function refusedProof(
  context: ConnectContext,
  request: SignedInRequest,
  form: URLSearchParams,
  { keyId, field }: Ended,
): Promise<Answer | null> {
  const { db } = context.api;
  const { session } = request;
  const [key, own] = await Promise.all([findKey(db, keyId), findKey(db, session.keyId)]);
  if (key === null || (own !== null && !isAbove(key, own))) return null;
  if ((await findOrganization(db, session.orgId))?.recovery === undefined) return null;
  const proof = await provesOwner(context, request, textOf(form, field));
  if (proof === true) return null;
  return proof === false
    ? accountFault(context, request, { form: 'key', field, keyId, message: WRONG_CODE })
    : proof;
}
