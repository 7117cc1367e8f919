/** What was just done, told on the page that follows. The only words that a URL can put there. */
export const NOTICES = {
  signed_out: 'You are signed out.',
  labelled: 'The label is saved.',
  revoked: 'The key is revoked. No call with it is answered any more.',
  redeemed: 'The voucher’s credits are in your balance.',
  watchlist: 'The watchlist is saved.',
  sent_before:
    'That form was sent before, so it was not acted on again. A key is shown only once: make another one if you did not keep it.',
} as const;

export type Notice = keyof typeof NOTICES;

export function noticeOf(text: string | null): string | null {
  return text !== null && Object.hasOwn(NOTICES, text) ? NOTICES[text as Notice] : null;
}
