import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStale } from '../../credits/account/gate.ts';
import type { Credential, Refusal } from '../../credits/wallet.ts';
import { callRateLimited, rateLimitHeaders } from '../admission/rate-limit.ts';
import { capitalChangeBrief } from '../endpoints/brief.ts';
import { attemptIdOf, notedOf, requestIdOf } from '../http/noted.ts';
import { internal, unavailable } from '../http/problem.ts';
import { chooseReply, type Reply, send, sendProblem } from '../http/reply.ts';
import type { Api } from '../open.ts';
import { charge, NOTHING_CHARGED, refusalProblem } from './settle.ts';

const START = '/v1/stocks/';
const END = '/capital-change-brief';
const ROUTE = `/v1${capitalChangeBrief.path}`;

/**
 * Answers a brief in memory without Express, which alone costs three to four times as much as node:http. Only the
 * plain case: a GET by a known live key, without Idempotency-Key. Returns false for everything else, errors of the request included; the full path
 * answers it. A test compares the answers of both.
 */
export function answerHot(api: Api, req: IncomingMessage, res: ServerResponse, next: () => void): boolean {
  const reply = readyReply(api, req);
  if (reply === null) return false;
  const credential = api.readCredential(req);
  // In memory are answers of the live data; a test key has its own.
  if (credential.kind !== 'presented' || credential.presented.mode !== 'live') return false;
  const account = api.accounts.known(credential.presented);
  if (account === null) return false;
  const noted = notedOf(req);
  noted.route = ROUTE;
  noted.orgId = account.orgId;
  noted.keyId = account.keyId;
  const waitMs = api.overRate.waitOf(account.orgId);
  if (waitMs > 0) {
    sendProblem(res, requestIdOf(req), callRateLimited(api.rateLimit, waitMs), NOTHING_CHARGED);
    return true;
  }
  if (!api.inFlight.enter(account.keyId)) return false;
  void chargeAndSend(api, { req, res, reply, credential: account }, next);
  return true;
}

type Exchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly reply: Reply;
  readonly credential: Credential;
};

/** Charges a brief and sends it, or what refuses it. */
async function chargeAndSend(api: Api, exchange: Exchange, next: () => void): Promise<void> {
  const { req, res, reply, credential } = exchange;
  const { credits: cost, name: tool } = capitalChangeBrief;
  const attemptId = attemptIdOf(req);
  const requestId = requestIdOf(req);
  const call = { cost, tool, attemptId, request: attemptId, fingerprint: '' };
  try {
    const settling = { res, credential, call, counts: true };
    const charged = await charge(api, settling, (metered) => send(res, requestId, reply, metered));
    if (charged === 'sent' || charged === 'gone') return;
    if (charged === 'unanswered') return sendProblem(res, requestId, unavailable(), NOTHING_CHARGED);
    // The account in memory is out of date: the full path looks it up again, and enters by itself. `next` throws
    // nothing, as where the server calls it at once: what a handler throws is answered there.
    if (isStale(charged)) return queueMicrotask(next);
    await refuseCharge(api, exchange, charged);
  } catch (error) {
    api.log.error({ err: error, requestId }, 'call failed');
    // The connection ends, so a client cannot mistake half an answer for a whole one.
    if (res.headersSent) return void req.socket.destroy();
    sendProblem(res, requestId, internal(), NOTHING_CHARGED);
  } finally {
    api.inFlight.leave(credential.keyId);
  }
}

async function refuseCharge(api: Api, { req, res, credential }: Exchange, refusal: Refusal): Promise<void> {
  const requestId = requestIdOf(req);
  if (refusal.kind === 'rate_limited') api.overRate.note(credential.orgId, refusal.waitMs);
  const problem = refusalProblem(refusal, capitalChangeBrief.credits, api);
  if (problem.status === 401) {
    api.accounts.forget(credential.keyId);
    await api.authFailures.count(req, res);
    sendProblem(res, requestId, problem);
    return;
  }
  // A rate-limited call was not counted; its problem has the headers already.
  const rateLimit = rateLimitHeaders(api.rateLimit, refusal.calls);
  sendProblem(res, requestId, problem, [...NOTHING_CHARGED, ...rateLimit]);
}

/** Null when the request is not the plain case, or its brief is not in memory. */
function readyReply(api: Api, req: IncomingMessage): Reply | null {
  const { method, url = '', headers } = req;
  if (method !== 'GET' || headers['idempotency-key'] !== undefined) return null;
  if (!url.startsWith(START) || !url.endsWith(END)) return null;
  // Another spelling than that of the cache is not found there.
  const cached = api.briefs.peek(url.slice(START.length, -END.length));
  return cached === null ? null : chooseReply(req, cached.replies);
}
