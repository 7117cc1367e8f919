import { ENDPOINTS } from '../../api/endpoints/index.ts';
import { currentBalance } from '../../credits/ledger/open-balance.ts';
import { type Entry, MAX_RECENT, type Recent, recentEntries } from '../../credits/ledger/status.ts';
import { AppError } from '../../errors.ts';
import { agentHosts, snippetsOf, snippetView } from '../../site/agent-hosts.ts';
import { type Html, html } from '../../site/html.ts';
import { contactUri, page } from '../../site/page.ts';
import { tableOf } from '../../site/table.ts';
import { type KeyDoc, keysOf } from '../../store/account/keys.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { usageOf } from '../../store/account/usage.ts';
import { findWatchlist, MAX_WATCHED, type WatchlistDoc } from '../../store/account/watchlists.ts';
import type { Answer, SignedInRequest } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { isLastKey } from '../last-key.ts';
import {
  type AccountView,
  banner,
  type Fault,
  fieldFault,
  formToken,
  grouped,
  moment,
  textField,
} from './fields.ts';
import { recoverySection } from './key.ts';
import { keysSection } from './keys-section.ts';
import { usageDays, usageSection } from './usage-section.ts';

/** The account of the organisation that the visitor is signed in to. */
export async function accountPage(
  context: ConnectContext,
  request: SignedInRequest,
  state: { readonly notice?: string | null; readonly fault?: Fault },
): Promise<string> {
  const { db, store, siteUrl } = context.api;
  const { orgId, keyId } = request.session;
  const now = store.now();
  const [org, keys, watchlist, balance, recent, usage] = await Promise.all([
    findOrganization(db, orgId),
    keysOf(db, orgId),
    findWatchlist(db, orgId),
    currentBalance(store, { _id: orgId, epoch: 1 }),
    recentEntries(store, orgId),
    usageOf(db, orgId, usageDays(now)),
  ]);
  if (org === null) throw new AppError('organization_lost', `No organisation ${orgId}`);
  const { notice = null, fault = null } = state;
  const view = {
    ...{ now: now.getTime(), formToken: request.formToken, fault, sessionKeyId: keyId, balance },
    sessionKey: keys.find(({ _id }) => _id === keyId) ?? null,
    once: context.tokens.once(request.session.token),
    lastKeyId: keys.find((key) => isLastKey(keys, key._id, now.getTime()))?._id ?? null,
    hasRecovery: org.recovery !== undefined,
  };
  const body = html`<div class="account-head">
<div><p class="eyebrow">Account</p><h1>${org.name}</h1></div>
<form method="post" action="/connect/sign-out">${formToken(request.formToken)}<button class="button button-quiet" type="submit">Sign out</button></form>
</div>
${banner(notice, fault)}
<div class="columns columns-even">${balanceCard(view.balance)}${voucherCard(view, context.api)}</div>
${LOOK_UP}
${keysSection(view, keys)}
${recoverySection(view, org.recovery ?? null)}
${snippetsSection(siteUrl)}
${watchlistSection(view, watchlist)}
${usageSection(usage, keys, now)}
${chargesSection(recent, keys)}`;
  const title = `${fault === null ? '' : 'Error: '}${org.name}`;
  return page({ title, description: 'Keys, credits and watchlist.', path: '/connect', body });
}

const LOOK_UP = html`<section aria-labelledby="look-up">
<h2 id="look-up">Look at a stock</h2>
<form class="card line-form" method="get" action="/connect/look-up">
<div class="field"><label for="ticker">Ticker</label><input id="ticker" name="ticker" type="text" required maxlength="10" autocomplete="off" autocapitalize="characters" spellcheck="false"></div>
<button class="button button-quiet" type="submit">See what it costs</button>
</form>
</section>`;

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

function snippetsSection(siteUrl: string): Html {
  const { brief, typescript, python } = snippetsOf(siteUrl);
  return html`<section aria-labelledby="use">
<h2 id="use">Use it</h2>
<p class="soft">The key is in the variable <code>TIDEMARK_KEY</code>: make one for calls only, which opens no account. The <a href="/docs">docs</a> list all calls and prices.</p>
<div class="columns snippets">${[brief, ...agentHosts(siteUrl), typescript, python].map(snippetView)}</div>
</section>`;
}

/** A credit is a cent. */
function balanceCard(balance: number): Html {
  const brief = ENDPOINTS.find((endpoint) => endpoint.name === 'capital_change_brief');
  const price = brief?.credits ?? 0;
  const usd = `$${grouped(Math.floor(balance / 100))}.${String(balance % 100).padStart(2, '0')}`;
  return html`<section class="card" aria-labelledby="balance">
<h2 id="balance">Balance</h2>
<p class="figure"><strong id="credits">${grouped(balance)}</strong> credits</p>
<p class="soft">Worth ${usd}${price === 0 ? null : html`, or ${grouped(Math.floor(balance / price))} briefs at ${price} credits`}. Only answers are charged, never errors.</p>
</section>`;
}

const CODE = html`class="code" type="text" required maxlength="60" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="TMV-XXXX-XXXX-XXXX-XXXX"`;

function voucherCard({ formToken: token, fault }: AccountView, api: TopUpWords): Html {
  const id = 'voucher-code';
  return html`<section class="card" aria-labelledby="voucher">
<h2 id="voucher">Redeem a voucher</h2>
${topUpWords(api)}
<form method="post" action="/connect/voucher">
${formToken(token)}
${textField(fieldFault(fault, 'voucher', 'code', id), { id, name: 'code', label: 'Voucher code' }, CODE)}
<button class="button button-quiet" type="submit">Redeem</button>
</form>
</section>`;
}

type TopUpWords = Pick<ConnectContext['api'], 'topUp' | 'supportContact'>;

/** Where credits come from, in the operator's words, and whom to ask. */
function topUpWords({ topUp: { text, link }, supportContact: contact }: TopUpWords): Html | null {
  if (text === undefined && link === undefined && contact === undefined) return null;
  return html`<p class="soft">${text} ${link === undefined ? null : html`<a href="${link}">Get credits</a>`} ${contact === undefined ? null : html`Questions: <a href="${contactUri(contact)}">${contact}</a>`}</p>`;
}

/** The latest changes of the balance, and whether there may be more. */
function chargesSection({ entries, isWhole }: Recent, keys: readonly KeyDoc[]): Html {
  const labels = new Map(keys.map((key) => [key._id, key.label]));
  return html`<section aria-labelledby="charges">
<h2 id="charges">Recent charges</h2>
${entries.length === 0 ? html`<p>No charges yet.</p>` : table(entries, labels)}
${isWhole ? null : html`<p class="soft">The latest ${MAX_RECENT} entries. There are older ones.</p>`}
</section>`;
}

function table(entries: readonly Entry[], labels: ReadonlyMap<string, string>): Html {
  return tableOf({
    name: 'Changes of the balance',
    columns: [
      { title: 'Time' },
      { title: 'What' },
      { title: 'Key', isShort: true },
      { title: 'Credits', isNumber: true },
      { title: 'Balance', isNumber: true },
    ],
    rows: entries.map((entry) => [
      moment(entry.at),
      wordsOf(entry),
      keyOf(entry, labels),
      `${entry.delta > 0 ? '+' : '−'}${grouped(Math.abs(entry.delta))}`,
      grouped(entry.balanceAfter),
    ]),
  });
}

function wordsOf({ kind, tool }: Entry): Html {
  if (kind === 'grant') return html`Credits added`;
  if (kind === 'open') return html`Balance restored`;
  if (kind !== 'charge') return html`<code>${tool}</code> <span class="badge">refunded</span>`;
  return html`<code>${tool}</code>`;
}

function keyOf({ keyId }: Entry, labels: ReadonlyMap<string, string>): Html {
  if (keyId === '') return html`<span class="soft">none</span>`;
  const label = labels.get(keyId) ?? '';
  return html`<code>${keyId}</code>${label === '' ? null : html` <span class="soft">${label}</span>`}`;
}

/** The entries that the organisation follows in the stream of events. */
function watchlistSection(view: AccountView, watchlist: WatchlistDoc): Html {
  const { updatedAt } = watchlist;
  const given = view.fault?.form === 'watchlist' ? view.fault.given : undefined;
  return html`<section aria-labelledby="watchlist">
<h2 id="watchlist">Watchlist</h2>
<p class="soft"><code>/v1/watchlist/poll</code> returns events of these tickers, issuers and insiders. At most ${MAX_WATCHED} of each.${updatedAt === null ? null : html` Saved ${moment(updatedAt)}.`}</p>
<form class="card" method="post" action="/connect/watchlist">
${formToken(view.formToken)}
<div class="columns">
${list(view, { name: 'tickers', label: 'Tickers', hint: 'AAPL, BRK.B', text: given?.['tickers'] ?? watchlist.tickers.join(', ') })}
${list(view, { name: 'ciks', label: 'CIKs', hint: '320193, 1067983', text: given?.['ciks'] ?? watchlist.ciks.join(', ') })}
</div>
<button class="button button-quiet" type="submit">Save the watchlist</button>
</form>
</section>`;
}

type List = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly text: string;
};

function list(view: AccountView, { name, label, hint, text }: List): Html {
  const { attributes, message } = fieldFault(view.fault, 'watchlist', name, name);
  return html`<div class="field">
<label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="3" maxlength="4000" autocomplete="off" spellcheck="false"${attributes}>
${text}</textarea>
${message}
<p class="hint">Separated by commas or blanks, for example ${hint}</p>
</div>`;
}
