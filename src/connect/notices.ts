/** Notices about what was done, for the next page. A URL can put no other text there. */
export const NOTICES = {
  signed_out: 'You are signed out.',
  labelled: 'The label is saved.',
  revoked: 'The key is revoked. Every call with it is refused now.',
  redeemed: 'The voucher’s credits are in your balance.',
  watchlist: 'The watchlist is saved.',
  sent_before:
    'That form was sent before, so nothing was done again. A key is shown only once. Make another one if you did not keep it.',
} as const;

export type Notice = keyof typeof NOTICES;

export function noticeOf(text: string | null): string | null {
  return text !== null && Object.hasOwn(NOTICES, text) ? NOTICES[text as Notice] : null;
}
