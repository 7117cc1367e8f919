import type { Express, Request, Response } from 'express';
import type { Mount } from '../api/app.ts';
import { keyInUrl, queryOf } from '../api/endpoint/text-input.ts';
import { methodNotAllowed } from '../api/http/problem.ts';
import { refuse } from '../api/http/reply.ts';
import { addPage, sendDownload, sendSeeOther } from '../site/send-page.ts';
import { usageOf } from '../store/account/usage.ts';
import {
  labelKeyForm,
  mintKeyForm,
  recoverForm,
  recoveryCodeForm,
  revokeKeyForm,
  rotateKeyForm,
} from './actions/keys.ts';
import { signInForm, signOutForm, signUpForm } from './actions/sign-up.ts';
import { redeemForm, watchlistForm } from './actions/watchlist.ts';
import { type Action, type Answer, noticeOf, type SignedInRequest, sendAnswer } from './answer.ts';
import { type ConnectContext, openConnect } from './context.ts';
import { holdsForm, type PageRequest, readForm, readPageRequest, textOf } from './page-request.ts';
import { accountPage } from './pages/account.ts';
import { entryPage } from './pages/entry.ts';
import { usageCsv, usageDays } from './pages/usage-section.ts';
import { addPaidPages } from './paid/mount.ts';
import { FOREIGN, guarded, NOT_A_FORM, TOO_LARGE, tooMany } from './refusal-page.ts';
import { isOwnOrigin } from './sessions.ts';

const ALLOWED = 'GET, HEAD, POST';

/** The account pages: `/connect`, and a path below it for each form. */
export const mountConnect: Mount = (app, api) => {
  const context = openConnect(api);
  addPage(app, '/connect', (req, res) => guarded(api, req, res, () => show(context, req, res)));
  for (const [path, action] of Object.entries(ACTIONS)) addForm(app, context, `/connect/${path}`, action);
  addPage(app, '/connect/usage.csv', (req, res) =>
    guarded(api, req, res, () => sendUsage(context, req, res)),
  );
  addPaidPages(app, context);
};

async function show(context: ConnectContext, req: Request, res: Response): Promise<void> {
  const request = await readPageRequest(context, req);
  const refused = await tooOften(context, request);
  if (refused !== null) return sendAnswer(req, res, refused, request.headers);
  const notice = noticeOf(new URLSearchParams(queryOf(req.originalUrl)).get('done'));
  const document = isSignedIn(request)
    ? await accountPage(context, request, { notice })
    : entryPage(context, request, { notice });
  sendAnswer(req, res, { kind: 'page', status: 200, document }, request.headers);
}

async function sendUsage(context: ConnectContext, req: Request, res: Response): Promise<void> {
  const request = await readPageRequest(context, req);
  const refused = await tooOften(context, request);
  if (refused !== null) return sendAnswer(req, res, refused, request.headers);
  if (!isSignedIn(request)) return sendSeeOther(req, res, '/connect', request.headers);
  const usage = await usageOf(context.api.db, request.session.orgId, usageDays(context.api.store.now()));
  sendDownload(req, res, usageCsv(usage), { type: 'text/csv; charset=utf-8', name: 'tidemark-usage.csv' });
}

/** Opening or reloading the address of a form leads to the page with the forms. */
function addForm(app: Express, context: ConnectContext, path: string, action: Action): void {
  app.all(path, async (req: Request, res: Response) => {
    const problem = keyInUrl(req.originalUrl);
    if (problem !== null) return refuse(req, res, problem);
    if (req.method === 'GET' || req.method === 'HEAD') return sendSeeOther(req, res, '/connect');
    if (req.method !== 'POST') return refuse(req, res, methodNotAllowed(ALLOWED));
    await guarded(context.api, req, res, () => act(context, action, { req, res }));
  });
}

async function act(
  context: ConnectContext,
  action: Action,
  { req, res }: { readonly req: Request; readonly res: Response },
): Promise<void> {
  if (!isOwnOrigin(req, context.api.siteUrl)) return sendAnswer(req, res, FOREIGN, []);
  const body = await readForm(req);
  if (body.kind === 'aborted') return void req.socket.destroy();
  if (body.kind === 'too_large') return sendAnswer(req, res, TOO_LARGE, ['Connection', 'close']);
  if (body.kind === 'not_a_form') return sendAnswer(req, res, NOT_A_FORM, []);
  const request = await readPageRequest(context, req);
  const answer =
    (await tooOften(context, request)) ??
    (await answerTo(context, action, { req, request, form: body.form }));
  sendAnswer(req, res, answer, request.headers);
}

/** The refusal of an organisation that has asked for many pages; null while it may ask. */
async function tooOften({ limits }: ConnectContext, { session }: PageRequest): Promise<Answer | null> {
  const wait = session === null ? null : await limits.take('page', session.orgId);
  return wait === null ? null : tooMany(wait, 'Your organisation has opened many pages.');
}

async function answerTo(
  context: ConnectContext,
  action: Action,
  { req, request, form }: { req: Request; request: PageRequest; form: URLSearchParams },
): Promise<Answer> {
  // The session has ended since the page was shown.
  if (action.who === 'account' && !isSignedIn(request)) return { kind: 'done', notice: 'signed_out' };
  const session = action.who === 'account' ? request.session : null;
  if (!holdsForm(context, req, session, textOf(form, 'form_token'))) return FOREIGN;
  if (action.who === 'anyone') return action.act(context, request, form);
  return action.act(context, request as SignedInRequest, form);
}

function isSignedIn(request: PageRequest): request is SignedInRequest {
  return request.session !== null;
}

/** Every form, by its path below `/connect`. */
const ACTIONS: Readonly<Record<string, Action>> = {
  'sign-up': signUpForm,
  'sign-in': signInForm,
  'sign-out': signOutForm,
  recover: recoverForm,
  'recovery-code': recoveryCodeForm,
  'keys/mint': mintKeyForm,
  'keys/label': labelKeyForm,
  'keys/rotate': rotateKeyForm,
  'keys/revoke': revokeKeyForm,
  voucher: redeemForm,
  watchlist: watchlistForm,
};
