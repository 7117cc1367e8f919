import { validRecovery } from '../../credits/account/recovery.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import type { RecoveryDoc } from '../../store/account/organizations.ts';
import type { PageAnswer } from '../answer.ts';
import { type AccountView, CODE_INPUT, fieldFault, formToken, moment, textField } from './fields.ts';

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
export function recoveryCard(code: string): Html {
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
