import { type Html, html } from '../../site/html.ts';
import type { KeyDoc } from '../../store/account/keys.ts';

/** Why a form was refused, by the field to change. */
export type Fault = {
  readonly form: 'sign-up' | 'sign-in' | 'recover' | 'mint' | 'key' | 'voucher' | 'watchlist' | 'recovery';
  /** Null when the form is no longer there; the message is then at the top of the page. */
  readonly field: string | null;
  readonly message: string;
  /** The key whose form it is. */
  readonly keyId?: string;
  /** The typed text, where the form keeps it. */
  readonly given?: Readonly<Record<string, string>>;
};

/** The message below a field, and the attributes that connect the field with it. */
type FieldFault = { readonly attributes: Html; readonly message: Html };

const NO_FAULT: FieldFault = { attributes: html``, message: html`` };

/** @param id of the field; the id of the message is derived from it */
export function fieldFault(fault: Fault | null, form: Fault['form'], field: string, id: string): FieldFault {
  if (fault?.form !== form || fault.field !== field) return NO_FAULT;
  return {
    attributes: html` aria-invalid="true" aria-describedby="${id}-fault" autofocus`,
    message: html`<p class="field-error" id="${id}-fault" role="alert">${fault.message}</p>`,
  };
}

/** A field of one line with its label and message. `rest` are the other attributes of the input. */
export function textField(
  fault: FieldFault,
  { id, name, label }: { readonly id: string; readonly name: string; readonly label: string },
  rest: Html,
): Html {
  return html`<div class="field">
<label for="${id}">${label}</label>
<input id="${id}" name="${name}" ${rest}${fault.attributes}>
${fault.message}
</div>`;
}

/** The attributes of an input for a recovery code. */
export const CODE_INPUT = html`class="code" type="text" maxlength="60" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="TMR-XXXX-XXXX-XXXX-XXXX"`;

export function formToken(token: string): Html {
  return html`<input type="hidden" name="form_token" value="${token}">`;
}

/** A notice about what was done, or an error that belongs to no field. */
export function banner(notice: string | null, fault: Fault | null): Html | null {
  if (fault !== null && fault.field === null)
    return html`<div class="notice notice-bad" role="alert"><p>${fault.message}</p></div>`;
  if (notice !== null) return html`<div class="notice" role="status"><p>${notice}</p></div>`;
  return null;
}

/** `1234567` as `1,234,567`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `2026-11-21T11:05:40.000Z` as `2026-11-21 11:05 UTC`, for people and machines. */
export function moment(iso: string): Html {
  return html`<time datetime="${iso}"><span class="nowrap">${iso.slice(0, 10)}</span> <span class="nowrap">${iso.slice(11, 16)} UTC</span></time>`;
}

/** A key in a list: its prefix and id, never the rest. */
export function keyName(mode: string, keyId: string): string {
  return `tm_${mode}_${keyId}…`;
}

/** What the sections of the account page need. */
export type AccountView = {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly formToken: string;
  /** Makes a form one that is accepted once. */
  readonly once: string;
  readonly fault: Fault | null;
  readonly sessionKeyId: string;
  /** The key of the session; null when it has just gone. */
  readonly sessionKey: Pick<KeyDoc, '_id' | 'createdAt'> | null;
  /** The key without which nobody can sign in; null when there are several. */
  readonly lastKeyId: string | null;
  /** Whether the organisation has a recovery code; those of before there were any have none until they make one. */
  readonly hasRecovery: boolean;
  /** Credits of the organisation. */
  readonly balance: number;
};
