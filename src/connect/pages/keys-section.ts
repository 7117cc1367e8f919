import type { Overlap } from '../../credits/account/key-life.ts';
import { MAX_LIVE_KEYS } from '../../credits/account/key-mint.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import { tableOf } from '../../site/table.ts';
import { isAbove, isLive, type KeyDoc } from '../../store/account/keys.ts';
import { nameToType } from '../last-key.ts';
import { MAX_LABEL } from '../page-request.ts';
import {
  type AccountView,
  CODE_INPUT,
  fieldFault,
  formToken,
  grouped,
  keyName,
  moment,
  textField,
} from './fields.ts';

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
  const { _id, mode, callsOnly, label, createdAt, lastUsedAt, expiresAt } = key;
  const isOpen = view.fault?.keyId === _id;
  const name = label === '' ? 'Without a label' : label;
  return html`<li class="card key" id="key-${_id}">
<div class="key-head">
<h3>${name}</h3>
<span class="badges">${mode === 'test' ? html`<span class="badge">test</span>` : html`<span class="badge badge-live">live</span>`}${callsOnly === true ? html`<span class="badge">for calls only</span>` : null}${expiresAt === null ? null : html`<span class="badge badge-warn">being replaced</span>`}${_id === view.sessionKeyId ? html`<span class="badge">signed in with it</span>` : null}</span>
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
<button class="button" type="submit" name="kind" value="calls">Make a key for calls</button>
<button class="button button-quiet" type="submit" name="kind" value="account">Make a key that also signs in</button>
<button class="button button-quiet" type="submit" name="kind" value="test">Make a test key</button>
</div>
<p class="hint">A key for calls is what programs and agents need: who finds it opens no account. A test key calls the sandbox: fixed answers, free of charge.</p>
</form>`;
}

function endedKeys(keys: readonly KeyDoc[]): Html {
  const rows = keys.map(({ _id, mode, label, revokedAt, expiresAt }) => {
    const [word, at] = revokedAt === null ? ['expired', expiresAt ?? ''] : ['revoked', revokedAt];
    return [html`<code>${keyName(mode, _id)}</code>`, label, html`${word} ${moment(at)}`];
  });
  return html`<details class="ended">
<summary>Keys that have ended</summary>
${tableOf({ name: 'Ended keys', columns: ['Key', 'Label', 'Ended'].map((title) => ({ title })), rows })}
</details>`;
}

/** The forms of one key. */
function keyForms(view: AccountView, key: KeyDoc): Html {
  return html`<div class="key-forms">
${labelForm(view, key)}
${key.expiresAt === null ? rotateForm(view, key) : null}
${revokeForm(view, key)}
</div>`;
}

function labelForm(view: AccountView, { _id, label }: KeyDoc): Html {
  const id = `label-${_id}`;
  const fault = view.fault?.keyId === _id ? view.fault : null;
  const value = html`type="text" maxlength="${MAX_LABEL}" autocomplete="off" value="${label}"`;
  return keyForm(
    view,
    { path: 'label', keyId: _id },
    html`${textField(fieldFault(fault, 'key', 'label', id), { id, name: 'label', label: 'Label' }, value)}
<button class="button button-quiet" type="submit">Save the label</button>`,
  );
}

const OVERLAP_WORDS: Readonly<Record<Overlap, string>> = {
  day: 'another 24 hours',
  week: 'another 7 days',
  now: 'no longer: it ends at once',
};

function rotateForm(view: AccountView, key: KeyDoc): Html {
  const { _id } = key;
  const id = `overlap-${_id}`;
  const options = Object.entries(OVERLAP_WORDS).map(
    ([value, words]) => html`<option value="${value}">${words}</option>`,
  );
  return keyForm(
    view,
    { path: 'rotate', keyId: _id },
    html`<input type="hidden" name="once" value="${view.once}">
<div class="field">
<label for="${id}">Replace it by a new key; the old key works</label>
<select id="${id}" name="overlap">${options}</select>
</div>
${codeField(view, key, 'rotate_code')}
<button class="button button-quiet" type="submit">Rotate the key</button>`,
  );
}

function revokeForm(view: AccountView, key: KeyDoc): Html {
  const { _id } = key;
  const isOwn = _id === view.sessionKeyId;
  return keyForm(
    view,
    { path: 'revoke', keyId: _id },
    html`<p class="form-title">Revoke it</p>
<p class="form-words">Every call with it is refused from then on. This cannot be undone.${isOwn ? ' You are signed in with it, so you are signed out.' : null}</p>
${_id === view.lastKeyId ? lastKeyField(view, key) : null}
${codeField(view, key, 'revoke_code')}
<button class="button button-danger" type="submit">Revoke the key</button>`,
  );
}

/** To end a key that is above that of the session. */
function codeField(view: AccountView, key: KeyDoc, name: 'rotate_code' | 'revoke_code'): Html | null {
  const isAsked = view.sessionKey !== null && isAbove(key, view.sessionKey);
  if (!isAsked || !view.hasRecovery) return null;
  const id = `${name}-${key._id}`;
  const fault = view.fault?.keyId === key._id ? view.fault : null;
  const why = key.isRecovered === true ? 'was made with it' : 'is older than yours';
  const label = `Recovery code, because the key ${why}`;
  return textField(fieldFault(fault, 'key', name, id), { id, name, label }, html`required ${CODE_INPUT}`);
}

/** What is lost with the last live key, and the field for its name. */
function lastKeyField(view: AccountView, key: KeyDoc): Html {
  const id = `confirm-${key._id}`;
  const fault = view.fault?.keyId === key._id ? view.fault : null;
  return html`<p class="form-words"><strong>It is your last live key, and a key is the only way to sign in.</strong> Without it, the ${grouped(view.balance)} credits, the watchlist and the name of the organisation ${view.hasRecovery ? 'can be reached only with the recovery code.' : 'are lost: there is no recovery code. Make one first.'}</p>
${textField(
  fieldFault(fault, 'key', 'confirm', id),
  { id, name: 'confirm', label: `Type ${nameToType(key)} to revoke it` },
  html`type="text" required maxlength="${MAX_LABEL}" autocomplete="off"`,
)}`;
}

function keyForm(view: AccountView, to: { path: string; keyId: string }, inside: Part): Html {
  return html`<form method="post" action="/connect/keys/${to.path}">
${formToken(view.formToken)}<input type="hidden" name="key_id" value="${to.keyId}">
${inside}
</form>`;
}
