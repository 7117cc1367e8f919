import type { IncomingMessage, ServerResponse } from 'node:http';
import { rateLimitHeaders } from '../admission/rate-limit.ts';
import type { Api } from '../api.ts';
import { chooseBriefReply } from '../cache/brief-reply.ts';
import { capitalChangeBrief } from '../endpoints/capital-change-brief.ts';
import type { HeaderList } from '../http/base-headers.ts';
import { internal, type Problem, unavailable } from '../http/problem.ts';
import { problemReply, send } from '../http/reply.ts';
import { nextId, requestIdOf } from '../http/request-id.ts';
import { refusalProblem } from './refusal.ts';
import { charge, NOTHING_CHARGED } from './settle.ts';

const START = '/v1/stocks/';
const END = '/capital-change-brief';

/**
 * Answers the warm brief ahead of Express, which alone costs three to four times what node:http
 * does. Only the plain case: a GET of a brief in memory, by a known live key, without query, body,
 * encoded characters or Idempotency-Key. Everything else, errors of the request included, is left
 * to the full path (false), and a test holds that both give the same answers.
 */
export function answerHot(api: Api, req: IncomingMessage, res: ServerResponse, next: () => void): boolean {
  const ticker = plainTicker(req);
  const hot = ticker === null ? null : api.briefs.peek(ticker);
  if (hot === null) return false;
  const credential = api.readCredential(req);
  // The cache holds the briefs of the live data; a test key has its own.
  if (credential.kind !== 'presented' || credential.presented.mode !== 'live') return false;
  const account = api.accounts.known(credential.presented.keyId);
  if (account === null) return false;
  const attemptId = nextId();
  const call = {
    cost: capitalChangeBrief.credits,
    tool: capitalChangeBrief.name,
    attemptId,
    request: attemptId,
    fingerprint: '',
  };
  if (!api.inFlight.enter(account.keyId)) return false;
  const requestId = requestIdOf(req);
  const settler = { ...account, digest: credential.presented.digest };
  const reply = chooseBriefReply(req, hot.replies);
  charge(api, { res, credential: settler, call, counts: true }, (metered) => {
    send(res, requestId, reply, metered);
  })
    .finally(() => api.inFlight.leave(account.keyId))
    .then((charged) => {
      if (charged === 'sent' || charged === 'gone') return;
      if (charged === 'unanswered') return tell(res, requestId, unavailable());
      // What the process remembers is out of date: the full path looks it up again.
      if (charged.kind === 'unknown_key' || charged.kind === 'fenced') return next();
      const told = refusalProblem(charged, call.cost, api);
      if (told.status === 401) void api.authFailures.count(req);
      // A refusal for the pace says so itself.
      const calls = charged.kind === 'rate_limited' ? null : charged.calls;
      tell(res, requestId, told, rateLimitHeaders(api.rateLimit, calls));
    })
    .catch((error: unknown) => {
      api.log.error({ err: error }, 'call failed');
      // Half an answer cannot be taken back: the connection ends, so that nobody takes it for whole.
      if (res.headersSent) return void req.socket.destroy();
      tell(res, requestId, internal());
    });
  return true;
}

function tell(res: ServerResponse, requestId: string, told: Problem, paced: HeaderList = []): void {
  const metered = told.status === 401 ? [] : [...NOTHING_CHARGED, ...paced];
  send(res, requestId, problemReply(told, requestId), metered);
}

/** The ticker as the cache names it; null when anything about the request is out of the ordinary. */
function plainTicker(req: IncomingMessage): string | null {
  const { method, url, headers } = req;
  if (method !== 'GET' || url === undefined || !url.startsWith(START) || !url.endsWith(END)) return null;
  if (headers['idempotency-key'] !== undefined) return null;
  // Any spelling but the cache's own is not found in the cache.
  return url.slice(START.length, -END.length);
}
