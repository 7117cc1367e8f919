import type { AddedKey } from '../../credits/account/key-mint.ts';
import { shellLine, snippetsOf, snippetView } from '../../site/agent-hosts.ts';
import { type Html, html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import type { PageAnswer } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { keyName, moment } from './fields.ts';
import { recoveryCard } from './recovery.ts';

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
