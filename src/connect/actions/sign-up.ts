import { createHash, timingSafeEqual } from 'node:crypto';
import { attempt } from '../../api/metering/attempt.ts';
import { readOrgName, signUp } from '../../credits/account/sign-up.ts';
import type { Action, Answer } from '../answer.ts';
import type { Desk } from '../connect-context.ts';
import { shownTextOf, textOf } from '../form-body.ts';
import type { Visit } from '../page-request.ts';
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
  async act(desk, visit, form) {
    const { mode, inviteCodes, credits } = desk.api.signUp;
    if (mode === 'closed') {
      return refusalPage(
        403,
        'Sign-up is closed',
        'New organisations are made by the operator of this site.',
      );
    }
    const tries = await desk.limits.take('sign_up_try', visit.address);
    if (tries !== null) return tooMany(tries, 'Your network has tried to sign up often.');
    const given = textOf(form, 'organisation');
    const refused = (field: 'organisation' | 'invite', message: string): Answer => {
      const fault = { form: 'sign-up' as const, field, message };
      const document = entryPage(desk, visit, {
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
    const wait = await desk.limits.take('sign_up', visit.address);
    if (wait !== null) return tooMany(wait, 'Your network has made several organisations.');
    const made = await signUp(desk.api.store, { name, credits });
    if (made.kind === 'made') return welcome(desk, visit, made.added);
    await desk.limits.giveBack('sign_up', visit.address);
    return refused('organisation', TAKEN);
  },
};

async function welcome(
  desk: Desk,
  visit: Visit,
  { key, doc }: Parameters<typeof keyPage>[1]['added'],
): Promise<Answer> {
  const document = keyPage(desk, { added: { key, doc }, occasion: 'sign-up' });
  const { value: session } = await attempt(desk.api, async () => {
    if (visit.session !== null) await desk.sessions.end(visit.session.token);
    return desk.sessions.begin(doc);
  });
  // Nothing shows the key again: without a session it is shown all the same, and opens one later.
  if (session === null) return { kind: 'page', status: 201, document };
  const cookie = desk.sessionCookie.set(session.token, SESSION_SECONDS);
  return { kind: 'page', status: 201, document, headers: ['Set-Cookie', cookie] };
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
