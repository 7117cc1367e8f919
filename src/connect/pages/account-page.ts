import { recentEntries } from '../../credits/recent.ts';
import { redisKeys } from '../../credits/redis-keys.ts';
import { AppError } from '../../errors.ts';
import { html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { keysOf } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { findWatchlist } from '../../store/account/watchlists.ts';
import type { Answer, SignedInRequest } from '../answer.ts';
import type { ConnectContext } from '../connect-context.ts';
import { newToken } from '../cookie.ts';
import { chargesSection } from './charges-section.ts';
import { balanceCard, voucherCard } from './credit-cards.ts';
import { banner, type Fault, formToken } from './fields.ts';
import { keysSection } from './keys-section.ts';
import { snippetsSection } from './snippets-section.ts';
import { watchlistSection } from './watchlist-section.ts';

type State = { readonly notice?: string | null; readonly fault?: Fault };

/** The account of the organisation that the visitor is signed in to. */
export async function accountPage(
  context: ConnectContext,
  request: SignedInRequest,
  state: State,
): Promise<string> {
  const { db, store, siteUrl } = context.api;
  const { orgId, keyId } = request.session;
  const [org, keys, watchlist, balance, recent] = await Promise.all([
    findOrganization(db, orgId),
    keysOf(db, orgId),
    findWatchlist(db, orgId),
    store.redis.hget(redisKeys(store.tag).org(orgId), 'bal'),
    recentEntries(store, orgId),
  ]);
  if (org === null) throw new AppError('organization_lost', `No organisation ${orgId}`);
  const { notice = null, fault = null } = state;
  const now = store.now().getTime();
  const view = { now, formToken: request.formToken, once: newToken(), fault, sessionKeyId: keyId };
  const body = html`<div class="account-head">
<div><p class="eyebrow">Account</p><h1>${org.name}</h1></div>
<form method="post" action="/connect/sign-out">${formToken(request.formToken)}<button class="button button-quiet" type="submit">Sign out</button></form>
</div>
${banner(notice, fault)}
<div class="columns columns-even">${balanceCard(Number(balance ?? 0))}${voucherCard(view)}</div>
${keysSection(view, keys)}
${snippetsSection(siteUrl)}
${watchlistSection(view, watchlist)}
${chargesSection(recent, keys)}`;
  const title = `${fault === null ? '' : 'Error: '}${org.name}`;
  return page({ title, description: 'Keys, credits and watchlist.', path: '/connect', body });
}

/** The account page with an error message at its field. */
export async function accountFault(
  context: ConnectContext,
  request: SignedInRequest,
  fault: Fault,
): Promise<Answer> {
  return { kind: 'page', status: 422, document: await accountPage(context, request, { fault }) };
}

/** The same for an unknown key and for another organisation's key. */
export const NO_SUCH_KEY: Fault = {
  form: 'key',
  field: null,
  message: 'Your organisation has no such key.',
};
