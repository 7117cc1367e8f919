import type { Overlap } from '../../credits/account/key-rotate.ts';
import { type Html, html, type Part } from '../../site/html.ts';
import type { KeyDoc } from '../../store/account/keys.ts';
import { MAX_LABEL } from '../label.ts';
import type { AccountView } from './account-view.ts';
import { fieldFault, formToken, textField } from './fields.ts';

/** The forms of one key. */
export function keyForms(view: AccountView, key: KeyDoc): Html {
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

function rotateForm(view: AccountView, { _id }: KeyDoc): Html {
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
<button class="button button-quiet" type="submit">Rotate the key</button>`,
  );
}

function revokeForm(view: AccountView, { _id }: KeyDoc): Html {
  const isOwn = _id === view.sessionKeyId;
  return keyForm(
    view,
    { path: 'revoke', keyId: _id },
    html`<p class="form-title">Revoke it</p>
<p class="form-words">Every call with it is refused from then on. This cannot be undone.${isOwn ? ' You are signed in with it, so you are signed out.' : null}</p>
<button class="button button-danger" type="submit">Revoke the key</button>`,
  );
}

function keyForm(view: AccountView, to: { path: string; keyId: string }, inside: Part): Html {
  return html`<form method="post" action="/connect/keys/${to.path}">
${formToken(view.formToken)}<input type="hidden" name="key_id" value="${to.keyId}">
${inside}
</form>`;
}
