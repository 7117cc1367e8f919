import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import type { ConnectContext } from '../context.ts';
import type { PageRequest } from '../page-request.ts';
import { banner, type Fault, fieldFault, formToken, grouped, textField } from './fields.ts';

type EntryState = {
  readonly notice?: string | null;
  readonly fault?: Fault;
  /** The typed name. */
  readonly organisation?: string;
};

/** The page to create an organisation or to sign in. */
export function entryPage(context: ConnectContext, request: PageRequest, state: EntryState = {}): string {
  const { notice = null, fault = null, organisation = '' } = state;
  const body = html`<div class="entry-head">
<p class="eyebrow">Connect</p>
<h1>Get a key, or sign in with yours</h1>
<p class="lead">One key opens the API and the agent tools. It belongs to an organisation, which holds the credits.</p>
</div>
${banner(notice, fault)}
${request.isFromElsewhere ? html`<p>You followed a link to this page. If you are signed in, <a href="/connect">open your account</a>.</p>` : null}
<div class="columns">
${signUpCard(context, { request, fault, organisation })}
${signInCard(request, fault)}
</div>`;
  const description = 'Create an organisation with its first API key, or sign in with a key.';
  return page({ title: `${fault === null ? '' : 'Error: '}Connect`, description, path: '/connect', body });
}

function signUpCard(
  context: ConnectContext,
  { request, fault, organisation }: { request: PageRequest; fault: Fault | null; organisation: string },
): Html {
  const { mode, credits } = context.api.signUp;
  if (mode === 'closed') {
    return html`<section class="card" aria-labelledby="sign-up">
<h2 id="sign-up">New here?</h2>
<p>Sign-up is closed on this site: only its operator creates organisations. Ask for a key, then sign in with it.</p>
</section>`;
  }
  const id = 'organisation';
  return html`<section class="card" aria-labelledby="sign-up">
<h2 id="sign-up">Create an organisation</h2>
<p>${credits === 0 ? 'You get its first key at once.' : `You get its first key and ${grouped(credits)} credits, worth $${(credits / 100).toFixed(2)}. No e-mail, no card.`}</p>
<form method="post" action="/connect/sign-up">
${formToken(request.formToken)}
${textField(
  fieldFault(fault, 'sign-up', id, id),
  { id, name: id, label: 'Name of the organisation' },
  html`type="text" required minlength="2" maxlength="100" autocomplete="organization" value="${organisation}"`,
)}
${mode === 'invite' ? inviteField(fault) : null}
<button class="button" type="submit">Create it and show the key</button>
</form>
</section>`;
}

function inviteField(fault: Fault | null): Html {
  return textField(
    fieldFault(fault, 'sign-up', 'invite', 'invite'),
    { id: 'invite', name: 'invite', label: 'Invite code' },
    html`class="code" type="text" required maxlength="200" autocomplete="off" spellcheck="false"`,
  );
}

function signInCard(request: PageRequest, fault: Fault | null): Html {
  return html`<section class="card" aria-labelledby="sign-in">
<h2 id="sign-in">Sign in with a key</h2>
<p>Any live key of your organisation opens its account. There is no password.</p>
<form method="post" action="/connect/sign-in">
${formToken(request.formToken)}
${textField(
  fieldFault(fault, 'sign-in', 'key', 'key'),
  { id: 'key', name: 'key', label: 'API key' },
  html`class="code" type="password" required maxlength="100" autocomplete="current-password" autocapitalize="none" spellcheck="false" placeholder="tm_live_…"`,
)}
<button class="button button-quiet" type="submit">Sign in</button>
</form>
${recoverDetails(request, fault)}
</section>`;
}

function recoverDetails(request: PageRequest, fault: Fault | null): Html {
  const id = 'recovery';
  return html`<details${fault?.form === 'recover' ? html` open` : null}>
<summary>All keys are lost</summary>
<form method="post" action="/connect/recover">
${formToken(request.formToken)}
${textField(
  fieldFault(fault, 'recover', 'code', id),
  { id, name: 'code', label: 'Recovery code' },
  html`class="code" type="text" required maxlength="60" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="TMR-XXXX-XXXX-XXXX-XXXX"`,
)}
<button class="button button-quiet" type="submit">Make a new key</button>
</form>
</details>`;
}
