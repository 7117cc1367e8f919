import type { AddedKey } from '../../credits/account/key-mint.ts';
import { validRecovery } from '../../credits/account/recovery.ts';
import { shellLine, snippetsOf, snippetView } from '../../site/agent-hosts.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import type { RecoveryDoc } from '../../store/account/organizations.ts';
import type { PageAnswer } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { type AccountView, CODE_INPUT, fieldFault, formToken, keyName, moment, textField } from './fields.ts';

type Shown = {
  readonly added: AddedKey;
  readonly occasion: 'sign-up' | 'mint' | 'rotate' | 'recover';
  /** Made with the first key. */
  readonly recoveryCode?: string;
  /** The free credits of the site are given out for now. */
  readonly isWithoutCredits?: boolean;
  /** The key that it replaces; `endsAt` is null when that key has ended. */
  readonly replaced?: { readonly keyId: string; readonly endsAt: string | null };
};

/** The only page that shows a key. It is the answer to the form, so the key is in no URL and is not stored. */
export function keyPage(
  context: ConnectContext,
  { added, occasion, replaced, recoveryCode, isWithoutCredits = false }: Shown,
): PageAnswer {
  const { key, doc } = added;
  const title = occasion === 'sign-up' ? 'Your first key' : 'Your new key';
  const body = html`<p class="eyebrow">${doc.mode === 'test' ? 'Test key' : 'Live key'}</p>
<h1>${title}</h1>
<div class="notice notice-once" role="status"><p><strong>Copy it now.</strong> Only this page shows it; we keep no copy.</p></div>
<section class="card key-shown" aria-labelledby="the-key">
<h2 id="the-key" class="visually-hidden">The key</h2>
<p><code class="secret" id="new-key">${key}</code></p>
<p class="hint">${doc.label === '' ? 'Without a label' : doc.label} · id ${doc._id}${SIGNS_IN[doc.callsOnly === true ? 'calls' : doc.mode]}</p>
</section>
${isWithoutCredits ? NO_CREDITS : null}
${recoveryCode === undefined ? null : recoveryCard(recoveryCode)}
${replaced === undefined ? null : replacedLine(replaced, doc.mode)}
${doc.mode === 'test' ? TEST_LINE : null}
<h2>Store it where your programs find it</h2>
<p>All examples read the key from a variable, so it is in no file that you share.</p>
${shellLine(key)}
<p>Then try it:</p>
${snippetView(snippetsOf(context.api.siteUrl).curl)}
<p class="actions"><a class="button" href="/connect">I have copied it: go to the account</a></p>`;
  const description = 'A new API key, shown once.';
  return { kind: 'page', status: 201, document: page({ title, description, path: '/connect', body }) };
}

const SIGNS_IN = {
  live: ' · it also signs you in here: there is no password. For programs, make a key for calls on the account page',
  calls: ' · for calls only: it signs nobody in',
  test: null,
} as const;

const NO_CREDITS = html`<div class="notice notice-bad" role="note"><p><strong>Your account begins with 0 credits.</strong> This site has given out its free credits for now. Test keys are free, and the account page says how to get credits.</p></div>`;

const TEST_LINE = html`<p>It calls the sandbox: fixed answers, free of charge, and never your organisation’s data.</p>`;

function replacedLine({ keyId, endsAt }: NonNullable<Shown['replaced']>, mode: string): Html {
  const old = html`<code>${keyName(mode, keyId)}</code>`;
  return endsAt === null
    ? html`<p>The old key ${old} has ended.</p>`
    : html`<p>The old key ${old} works until ${moment(endsAt)}.</p>`;
}

/** @param recovery the organisation's codes; null without one */
export function recoverySection(view: AccountView, recovery: RecoveryDoc | null): Html {
  const valid = recovery === null ? null : validRecovery(recovery, new Date(view.now));
  const state =
    valid === null
      ? html`<strong>There is none yet.</strong> If you lose your keys, the account is lost with them.`
      : html`Yours was made ${moment(valid.madeAt)}. A new code replaces it.`;
  return html`<section aria-labelledby="recovery">
<h2 id="recovery">Recovery code</h2>
<p class="soft">It makes a new key when all keys are lost. ${state}</p>
${valid?.next === undefined ? null : announced(valid.next)}
<form method="post" action="/connect/recovery-code">
${formToken(view.formToken)}<input type="hidden" name="once" value="${view.once}">
${valid === null ? null : presentCode(view)}
<button class="button button-quiet" type="submit">Make a ${valid === null ? null : 'new '}recovery code</button>
</form>
</section>`;
}

function presentCode(view: AccountView): Html {
  const id = 'present-code';
  const label = 'Your present code. Without it, the new one counts only after 72 hours';
  return textField(fieldFault(view.fault, 'recovery', 'code', id), { id, name: 'code', label }, CODE_INPUT);
}

/** What a thief asked for, or a visitor who has lost the code. */
function announced({ madeAt, from }: NonNullable<RecoveryDoc['next']>): Html {
  return html`<div class="notice notice-bad" role="note"><p><strong>Somebody asked for another code</strong> ${moment(madeAt)}, without the present one. It takes its place ${moment(from)}; until then the present one works. Was it not you? Revoke the keys that others may know, and make a new code with the present one.</p></div>`;
}

/** The code with the words that go with it. It is shown on the page of a new account, and when it is made. */
function recoveryCard(code: string): Html {
  return html`<section class="card key-shown" aria-labelledby="the-code">
<h2 id="the-code">The recovery code</h2>
<p><code class="secret" id="recovery-code">${code}</code></p>
<p class="hint">It makes a new key when all keys are lost. Keep it apart from them. Anyone who has it can open the account.</p>
</section>`;
}

/**
 * Shows a new code, once.
 * @param from when it takes the place of the one before; null when it has
 */
export function recoveryPage(code: string, from: string | null): PageAnswer {
  const title = 'Your recovery code';
  const body = html`<p class="eyebrow">Account</p>
<h1>${title}</h1>
<div class="notice notice-once" role="status"><p><strong>Copy it now.</strong> Only this page shows it; we keep no copy. ${from === null ? 'A code that was made before is not valid any more.' : html`It is valid from ${moment(from)} on; until then the code before is.`}</p></div>
${recoveryCard(code)}
<p class="actions"><a class="button" href="/connect">I have copied it: go to the account</a></p>`;
  const document = page({ title, description: 'A recovery code, shown once.', path: '/connect', body });
  return { kind: 'page', status: 201, document };
}
