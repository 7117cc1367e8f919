import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import type { PageAnswer } from '../answer.ts';
import { type AccountView, formToken, moment } from './fields.ts';

/** @param madeAt when the organisation's code was made; null without one */
export function recoverySection(view: AccountView, madeAt: string | null): Html {
  const state =
    madeAt === null
      ? html`<strong>There is none yet.</strong> If you lose your keys, the account is lost with them.`
      : html`Yours was made ${moment(madeAt)}. A new code replaces it.`;
  return html`<section aria-labelledby="recovery">
<h2 id="recovery">Recovery code</h2>
<p class="soft">It makes a new key when all keys are lost. ${state}</p>
<form method="post" action="/connect/recovery-code">
${formToken(view.formToken)}<input type="hidden" name="once" value="${view.once}">
<button class="button button-quiet" type="submit">Make a ${madeAt === null ? null : 'new '}recovery code</button>
</form>
</section>`;
}

/** The code with the words that go with it. It is shown on the page of a new account, and when it is made. */
export function recoveryCard(code: string): Html {
  return html`<section class="card key-shown" aria-labelledby="the-code">
<h2 id="the-code">The recovery code</h2>
<p><code class="secret" id="recovery-code">${code}</code></p>
<p class="hint">It makes a new key when all keys are lost. Keep it apart from them. Anyone who has it can open the account.</p>
</section>`;
}

/** Shows a new code, once. */
export function recoveryPage(code: string): PageAnswer {
  const title = 'Your recovery code';
  const body = html`<p class="eyebrow">Account</p>
<h1>${title}</h1>
<div class="notice notice-once" role="status"><p><strong>Copy it now.</strong> Only this page shows it; we keep no copy. A code that was made before is not valid any more.</p></div>
${recoveryCard(code)}
<p class="actions"><a class="button" href="/connect">I have copied it: go to the account</a></p>`;
  const document = page({ title, description: 'A recovery code, shown once.', path: '/connect', body });
  return { kind: 'page', status: 201, document };
}
