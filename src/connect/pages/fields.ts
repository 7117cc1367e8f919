import { type Html, html } from '../../site/html.ts';

/** What a form was refused for, by the field that has to change. */
export type Fault = {
  readonly form: 'sign-up' | 'sign-in' | 'mint' | 'key' | 'voucher' | 'watchlist';
  /** Null where the form is not there any more: told above the page. */
  readonly field: string | null;
  readonly message: string;
  /** The key whose form it is. */
  readonly keyId?: string;
  /** What was typed, where it is worth keeping. */
  readonly given?: Readonly<Record<string, string>>;
};

/** The message below a field, and what ties the field to it. */
export type FieldFault = { readonly attributes: Html; readonly message: Html };

const NO_FAULT: FieldFault = { attributes: html``, message: html`` };

/** @param id of the field, from which the message's own is made */
export function fieldFault(fault: Fault | null, form: Fault['form'], field: string, id: string): FieldFault {
  if (fault?.form !== form || fault.field !== field) return NO_FAULT;
  return {
    attributes: html` aria-invalid="true" aria-describedby="${id}-fault" autofocus`,
    message: html`<p class="field-error" id="${id}-fault" role="alert">${fault.message}</p>`,
  };
}

export function formToken(token: string): Html {
  return html`<input type="hidden" name="form_token" value="${token}">`;
}

/** What was just done, or why it was not where no field can say it. */
export function banner(notice: string | null, fault: Fault | null): Html | null {
  if (fault !== null && fault.field === null)
    return html`<div class="notice notice-bad" role="alert"><p>${fault.message}</p></div>`;
  if (notice !== null) return html`<div class="notice" role="status"><p>${notice}</p></div>`;
  return null;
}
