import type { ConnectContext } from '../context.ts';
import type { Session } from '../sessions.ts';

/** As long as an Idempotency-Key is remembered (rule 12.3): opening the page again costs nothing so long. */
const PAID_MS = 600_000;
/** Two clocks of ours may differ so much. */
const AHEAD_MS = 60_000;

/** What a button was made for: one visitor and one page. */
type Offer = { readonly session: Session; readonly path: string };

/**
 * The token of a button that names a price. Only this site can make it, and only for this visitor, so that no link
 * from elsewhere charges anyone.
 */
export function payToken({ tokens, api }: ConnectContext, offer: Offer): string {
  const time = api.store.now().getTime().toString(36);
  return `${time}.${tokens.of(textOf(offer, time))}`;
}

/** Whether the visitor pressed the button within the last ten minutes. */
export function isPaid({ tokens, api }: ConnectContext, offer: Offer, given: string): boolean {
  const [time = '', signature = ''] = given.split('.');
  const age = api.store.now().getTime() - Number.parseInt(time, 36);
  return age < PAID_MS && age > -AHEAD_MS && tokens.isOf(textOf(offer, time), signature);
}

function textOf({ session, path }: Offer, time: string): string {
  return `${session.token}|pay|${path}|${time}`;
}
