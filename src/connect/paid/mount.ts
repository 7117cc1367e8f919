import type { Express, Request, Response } from 'express';
import type { Db } from 'mongodb';
import { queryOf } from '../../api/endpoint/text-input.ts';
import { capitalChangeBrief } from '../../api/endpoints/brief.ts';
import { parseCik, parseTicker } from '../../domain/ids.ts';
import type { Brief } from '../../domain/wire/brief.ts';
import { briefPage, briefPaths } from '../../site/brief/brief-page.ts';
import { html } from '../../site/html.ts';
import { page } from '../../site/page.ts';
import { addPage, sendPage, sendSeeOther } from '../../site/send-page.ts';
import { findBrief } from '../../store/publish/current-briefs.ts';
import { sendAnswer } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { readPageRequest } from '../page-request.ts';
import { guarded, refusalPage, tooMany } from '../refusal-page.ts';
import type { PageOf, Session } from '../sessions.ts';
import { FUND_PAGE } from './fund-page.ts';
import { offerPage, type PaidPage, type Shown } from './offer.ts';
import { showPaid } from './show-paid.ts';
import { STOCK_PAGE } from './stock-page.ts';

/** A page at its address, with the argument that the address names. */
type Addressed = { readonly page: PaidPage; readonly path: string; readonly values: Record<string, string> };

/** What an address offers: the page there and others about the same, under one heading. */
type Place = { readonly heading: string; readonly at: Addressed; readonly offered: readonly Addressed[] };

/** The pages that a signed-in visitor pays for (rule 11.21), and the form at `/connect` that leads there. */
export function addPaidPages(app: Express, context: ConnectContext): void {
  const briefs = briefPageOf(context.api.db);
  const stockPlace = (req: Request, which: 'stock' | 'brief'): Place | null => {
    const ticker = parseTicker(String(req.params['ticker']));
    if (ticker === null) return null;
    const path = `/stocks/${ticker}`;
    const stock = { page: STOCK_PAGE, path, values: { ticker } };
    const brief = { page: briefs, path: `${path}/brief`, values: { ticker } };
    const at = which === 'stock' ? stock : brief;
    return { heading: ticker, at, offered: [brief, stock] };
  };
  const fundPlace = (req: Request): Place | null => {
    const cik = parseCik(String(req.params['cik']));
    if (cik === null) return null;
    const fund = { page: FUND_PAGE, path: `/funds/${cik}`, values: { cik } };
    return { heading: `CIK ${Number(cik)}`, at: fund, offered: [fund] };
  };
  addPlace(app, context, '/stocks/:ticker', (req) => stockPlace(req, 'stock'));
  addPlace(app, context, '/stocks/:ticker/brief', (req) => stockPlace(req, 'brief'));
  addPlace(app, context, '/funds/:cik', fundPlace);
  addPage(app, '/connect/look-up', (req, res) => {
    const ticker = parseTicker(queryText(req, 'ticker'));
    if (ticker !== null) return sendSeeOther(req, res, `/stocks/${ticker}`);
    sendAnswer(req, res, refusalPage(400, 'Not a ticker', 'A ticker looks like AAPL or BRK.B.'), []);
  });
}

function addPlace(
  app: Express,
  context: ConnectContext,
  path: string,
  placeOf: (req: Request) => Place | null,
): void {
  addPage(app, path, (req, res) =>
    guarded(context.api, req, res, () => showPlace(context, req, res, placeOf(req))),
  );
}

async function showPlace(context: ConnectContext, req: Request, res: Response, place: Place | null) {
  if (place === null) return sendAnswer(req, res, NO_PLACE, []);
  const { session, isFromElsewhere, headers } = await readPageRequest(context, req);
  if (session === null) {
    return sendPage(req, res, signInPage(place, isFromElsewhere), {
      caching: 'private',
      status: 401,
      headers,
    });
  }
  const wait = await context.limits.take('page', session.orgId);
  if (wait !== null)
    return sendAnswer(req, res, tooMany(wait, 'Your organisation has opened many pages.'), headers);
  const given = queryText(req, 'pay');
  const at = { session, path: place.at.path };
  const isMeant = req.method === 'GET' && !isPrefetch(req) && !isFromElsewhere;
  if (isMeant && (await isPressed(context, at, given))) {
    // Buttons of several tabs, also pressed at once: all of them pay by the first one.
    const token = await context.paidTokens.standing(at, given);
    const asCsv = queryText(req, 'as') === 'csv';
    return showPaid(context, { req, res }, { ...place.at, session, token, asCsv });
  }
  sendPage(req, res, await offer(context, place, session), { caching: 'private', headers });
}

/** Fetched by the browser in advance: nobody has pressed the button. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch/i.test(`${headers['sec-purpose'] ?? ''} ${headers['purpose'] ?? ''}`);
}

async function offer(
  context: ConnectContext,
  { heading, at, offered }: Place,
  session: Session,
): Promise<string> {
  const buttons = await Promise.all(
    offered.map(async ({ page: paid, path }) => ({
      page: paid,
      href: `${path}?pay=${await payToken(context, { session, path })}`,
    })),
  );
  return offerPage(heading, at.path, buttons);
}

/** To a visitor without a session; a browser does not send its cookie with a link from another site. */
function signInPage({ heading, at }: Place, isFromElsewhere: boolean): string {
  const body = html`<h1>${heading}</h1>
<p class="lead">This page is for signed-in visitors. ${isFromElsewhere ? html`You followed a link. If you are signed in, <a href="${at.path}">open it here</a>.` : null}</p>
<p class="actions"><a class="button" href="/connect">Sign in or get a key</a></p>`;
  return page({ title: heading, description: `A page about ${heading}.`, path: at.path, body });
}

const NO_PLACE = refusalPage(
  400,
  'Not a page',
  'A stock is named by its ticker, such as AAPL, and a fund by its CIK.',
);

function queryText(req: Request, name: string): string {
  return new URLSearchParams(queryOf(req.originalUrl)).get(name) ?? '';
}

/** As long as an Idempotency-Key is remembered (rule 12.3): opening the page again costs nothing so long. */
const PAID_MS = 600_000;
/** Two clocks of ours may differ so much. */
const AHEAD_MS = 60_000;

/**
 * The token of a button that names a price. Only this site can make it, and only for this visitor, so that no link
 * from elsewhere charges anyone. A page that was paid for has the same token again: by whatever way the visitor
 * comes back to it, it is charged once.
 */
async function payToken({ tokens, paidTokens, api }: ConnectContext, page: PageOf): Promise<string> {
  const paid = await paidTokens.find(page);
  if (paid !== null) return paid;
  const time = api.store.now().getTime().toString(36);
  return `${time}.${tokens.of(textOf(page, time))}`;
}

/** Whether the visitor pressed a button that was made, or paid with, within the last ten minutes. */
async function isPressed(context: ConnectContext, page: PageOf, given: string): Promise<boolean> {
  const [time = '', signature = '', ...rest] = given.split('.');
  if (rest.length > 0 || !context.tokens.isOf(textOf(page, time), signature)) return false;
  const age = context.api.store.now().getTime() - Number.parseInt(time, 36);
  if (age < PAID_MS && age > -AHEAD_MS) return true;
  return (await context.paidTokens.find(page)) === given;
}

function textOf({ session, path }: PageOf, time: string): string {
  return `${session.token}|pay|${path}|${time}`;
}

/**
 * The brief of a ticker, which leads to the permanent page of these numbers. A brief that is not stored, because
 * nothing was ever filed about the ticker or the key is a test key, has none and is shown at once.
 */
function briefPageOf(db: Db): PaidPage {
  const { name, credits } = capitalChangeBrief;
  return {
    ...{ name, credits },
    title: 'Capital-change brief',
    shows:
      'Which managers built or left a position, whether insiders’ own trades support it, and the filings that prove it. You can share its page with anyone.',
    read: (values) => {
      const read = capitalChangeBrief.read(values);
      if (!read.ok) return read;
      return {
        ...read,
        run: async (reading) => {
          const outcome = await read.run(reading);
          if (outcome.kind !== 'stored') return outcome;
          const { briefId, body } = outcome.brief;
          const isStored = (await findBrief(db, briefId)) !== null;
          return { kind: 'body', body: isStored ? permanent(briefId) : shown(body) };
        },
      };
    },
    show: (answered) => (answered.kind === 'body' ? (answered.body as Shown) : permanent('')),
  };
}

function permanent(briefId: string): Shown {
  return { kind: 'at', path: briefPaths(briefId).page };
}

function shown(body: Buffer): Shown {
  const { data } = JSON.parse(body.toString('utf8')) as { data: Brief };
  return { kind: 'page', document: briefPage(data, null) };
}
