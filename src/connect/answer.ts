import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderList } from '../api/http/base-headers.ts';
import { sendPage, sendSeeOther } from '../site/send-page.ts';
import type { ConnectContext } from './context.ts';
import type { PageRequest } from './page-request.ts';
import type { Session } from './sessions.ts';

export type PageAnswer = {
  readonly kind: 'page';
  readonly status: number;
  readonly document: string;
  readonly headers?: HeaderList;
};

/** The answer to a form. */
export type Answer =
  | PageAnswer
  /** Back to the account, with a notice about what was done. For answers without a secret. */
  | { readonly kind: 'done'; readonly notice: Notice | null; readonly headers?: HeaderList };

/** A form for anyone, or only for a signed-in visitor. */
export type Action =
  | { readonly who: 'anyone'; readonly act: Act<PageRequest> }
  | { readonly who: 'account'; readonly act: Act<SignedInRequest> };

type Act<R> = (context: ConnectContext, request: R, form: URLSearchParams) => Promise<Answer>;

export type SignedInRequest = PageRequest & { readonly session: Session };

export function sendAnswer(req: IncomingMessage, res: ServerResponse, answer: Answer, more: HeaderList) {
  const headers = [...more, ...(answer.headers ?? [])];
  if (answer.kind === 'page') {
    sendPage(req, res, answer.document, { caching: 'private', status: answer.status, headers });
    return;
  }
  sendSeeOther(req, res, answer.notice === null ? '/connect' : `/connect?done=${answer.notice}`, headers);
}

/** Notices about what was done, for the next page. A URL can put no other text there. */
const NOTICES = {
  signed_out: 'You are signed out.',
  labelled: 'The label is saved.',
  revoked: 'The key is revoked. Every call with it is refused now.',
  redeemed: 'The voucher’s credits are in your balance.',
  watchlist: 'The watchlist is saved.',
  sent_before:
    'That form was sent before, so nothing was done again. A key or code is shown only once. Make another one if you did not keep it.',
} as const;

type Notice = keyof typeof NOTICES;

export function noticeOf(text: string | null): string | null {
  return text !== null && Object.hasOwn(NOTICES, text) ? NOTICES[text as Notice] : null;
}
