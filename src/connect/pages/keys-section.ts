import { MAX_LIVE_KEYS } from '../../credits/account/key-mint.ts';
import { type Html, html } from '../../site/html.ts';
import { isLive, type KeyDoc } from '../../store/account/keys.ts';
import { keyName, moment } from '../format.ts';
import { MAX_LABEL } from '../label.ts';
import type { AccountView } from './account-view.ts';
import { fieldFault, formToken, textField } from './fields.ts';
import { keyForms } from './key-forms.ts';

/** The latest ended keys are listed; older ones are not. */
const MAX_ENDED = 20;

export function keysSection(view: AccountView, keys: readonly KeyDoc[]): Html {
  const live = keys.filter((key) => isLive(key, view.now));
  const ended = keys.filter((key) => !isLive(key, view.now)).reverse();
  return html`<section aria-labelledby="keys">
<h2 id="keys">Keys</h2>
<p class="soft">${live.length} of at most ${MAX_LIVE_KEYS} valid keys. A revoked key stops working everywhere within five seconds. The last use of a key is shown within a minute.</p>
<ul class="keys">${live.map((key) => liveKey(view, key))}</ul>
${mintForm(view)}
${ended.length === 0 ? null : endedKeys(ended.slice(0, MAX_ENDED))}
</section>`;
}

function liveKey(view: AccountView, key: KeyDoc): Html {
  const { _id, mode, label, createdAt, lastUsedAt, expiresAt } = key;
  const isOpen = view.fault?.keyId === _id;
  const name = label === '' ? 'Without a label' : label;
  return html`<li class="card key" id="key-${_id}">
<div class="key-head">
<h3>${name}</h3>
<span class="badges">${mode === 'test' ? html`<span class="badge">test</span>` : html`<span class="badge badge-live">live</span>`}${expiresAt === null ? null : html`<span class="badge badge-warn">being replaced</span>`}${_id === view.sessionKeyId ? html`<span class="badge">signed in with it</span>` : null}</span>
</div>
<p class="key-facts"><code>${keyName(mode, _id)}</code> <span>made ${moment(createdAt)}</span> <span>${lastUsedAt === null ? 'not used yet' : html`last used ${moment(lastUsedAt)}`}</span>${expiresAt === null ? null : html` <span>ends ${moment(expiresAt)}</span>`}</p>
<details${isOpen ? html` open` : null}>
<summary>Label, rotate or revoke<span class="visually-hidden"> ${name} (${_id})</span></summary>
${keyForms(view, key)}
</details>
</li>`;
}

function mintForm(view: AccountView): Html {
  const id = 'new-label';
  return html`<form class="card mint" method="post" action="/connect/keys/mint">
<h3>Make another key</h3>
${formToken(view.formToken)}<input type="hidden" name="once" value="${view.once}">
${textField(
  fieldFault(view.fault, 'mint', 'label', id),
  { id, name: 'label', label: 'What it is for' },
  html`type="text" maxlength="${MAX_LABEL}" autocomplete="off"`,
)}
<div class="actions">
<button class="button" type="submit" name="mode" value="live">Make a live key</button>
<button class="button button-quiet" type="submit" name="mode" value="test">Make a test key</button>
</div>
<p class="hint">A test key calls the sandbox: fixed answers, free of charge.</p>
</form>`;
}

function endedKeys(keys: readonly KeyDoc[]): Html {
  const rows = keys.map(({ _id, mode, label, revokedAt, expiresAt }) => {
    const [word, at] = revokedAt === null ? ['expired', expiresAt ?? ''] : ['revoked', revokedAt];
    return html`<tr><th scope="row"><code>${keyName(mode, _id)}</code></th><td>${label}</td><td>${word} ${moment(at)}</td></tr>`;
  });
  return html`<details class="ended">
<summary>Keys that have ended</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Keys that have ended"><table>
<thead><tr><th scope="col">Key</th><th scope="col">Label</th><th scope="col">Ended</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>
</details>`;
}
