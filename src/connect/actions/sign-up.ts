import { createHash, timingSafeEqual } from 'node:crypto';
import { withDeadline } from '../../api/metering/with-deadline.ts';
import { readOrgName, signUp } from '../../credits/account/sign-up.ts';
import type { Action, Answer } from '../answer.ts';
import type { ConnectContext } from '../connect-context.ts';
import { shownTextOf, textOf } from '../form-body.ts';
import type { PageRequest } from '../page-request.ts';
import { entryPage } from '../pages/entry-page.ts';
import { keyPage } from '../pages/key-page.ts';
import { refusalPage, tooMany } from '../refusal-page.ts';
import { SESSION_SECONDS } from '../sessions.ts';

const NAME_RULE =
  'A name has 2 to 100 characters, one of them a letter or a digit. It is no key, and not just 12 small letters and digits, as ids are: a capital letter or a space helps.';
const TAKEN =
  'There is an organisation of that name already. Choose another one, or sign in with one of its keys.';

/** A new organisation and its first key; the visitor is signed in with it. */
export const signUpForm: Action = {
  who: 'anyone',
  async act(context, request, form) {
    const { mode, inviteCodes, credits } = context.api.signUp;
    if (mode === 'closed') {
      return refusalPage(
        403,
        'Sign-up is closed',
        'New organisations are made by the operator of this site.',
      );
    }
    const tries = await context.limits.take('sign_up_try', request.address);
    if (tries !== null) return tooMany(tries, 'Your network has tried to sign up often.');
    const given = textOf(form, 'organisation');
    const refused = (field: 'organisation' | 'invite', message: string): Answer => {
      const fault = { form: 'sign-up' as const, field, message };
      const document = entryPage(context, request, {
        fault,
        organisation: shownTextOf(form, 'organisation').slice(0, 200),
      });
      return { kind: 'page', status: 422, document };
    };
    if (mode === 'invite' && !inviteCodes.some((code) => isSame(code, textOf(form, 'invite').trim()))) {
      return refused('invite', 'That is no invite code of this site.');
    }
    const name = readOrgName(given);
    if (name === null) return refused('organisation', NAME_RULE);
    const wait = await context.limits.take('sign_up', request.address);
    if (wait !== null) return tooMany(wait, 'Your network has made several organisations.');
    const made = await signUp(context.api.store, { name, credits });
    if (made.kind === 'made') return welcome(context, request, made.added);
    await context.limits.giveBack('sign_up', request.address);
    return refused('organisation', TAKEN);
  },
};

async function welcome(
  context: ConnectContext,
  request: PageRequest,
  { key, doc }: Parameters<typeof keyPage>[1]['added'],
): Promise<Answer> {
  const document = keyPage(context, { added: { key, doc }, occasion: 'sign-up' });
  const { value: session } = await withDeadline(context.api, async () => {
    if (request.session !== null) await context.sessions.end(request.session.token);
    return context.sessions.begin(doc);
  });
  // Nothing shows the key again: without a session it is shown all the same, and opens one later.
  if (session === null) return { kind: 'page', status: 201, document };
  const cookie = context.sessionCookie.set(session.token, SESSION_SECONDS);
  return { kind: 'page', status: 201, document, headers: ['Set-Cookie', cookie] };
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
