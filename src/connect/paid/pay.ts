import type { ConnectContext } from '../context.ts';
import type { PageOf } from '../paid-tokens.ts';

/** As long as an Idempotency-Key is remembered (rule 12.3): opening the page again costs nothing so long. */
const PAID_MS = 600_000;
/** Two clocks of ours may differ so much. */
const AHEAD_MS = 60_000;

/**
 * The token of a button that names a price. Only this site can make it, and only for this visitor, so that no link
 * from elsewhere charges anyone. A page that was paid for has the same token again: by whatever way the visitor
 * comes back to it, it is charged once.
 */
export async function payToken({ tokens, paidTokens, api }: ConnectContext, page: PageOf): Promise<string> {
  const paid = await paidTokens.find(page);
  if (paid !== null) return paid;
  const time = api.store.now().getTime().toString(36);
  return `${time}.${tokens.of(textOf(page, time))}`;
}

/** Whether the visitor pressed a button that was made, or paid with, within the last ten minutes. */
export async function isPressed(context: ConnectContext, page: PageOf, given: string): Promise<boolean> {
  const [time = '', signature = '', ...rest] = given.split('.');
  if (rest.length > 0 || !context.tokens.isOf(textOf(page, time), signature)) return false;
  const age = context.api.store.now().getTime() - Number.parseInt(time, 36);
  if (age < PAID_MS && age > -AHEAD_MS) return true;
  return (await context.paidTokens.find(page)) === given;
}

function textOf({ session, path }: PageOf, time: string): string {
  return `${session.token}|pay|${path}|${time}`;
}
