import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Opened } from '../credits/gate.ts';
import type { Call, Credential } from '../credits/wallet.ts';
import type { Api } from './api.ts';
import { attempt } from './attempt.ts';
import type { HeaderList } from './base-headers.ts';
import { briefReplies, chooseBriefReply, hasCurrent } from './brief-reply.ts';
import type { Endpoint, Outcome, ReadCall } from './endpoint.ts';
import { type NamedCall, nameCall } from './idempotency.ts';
import { type Detail, invalid, type Problem, unauthorized } from './problem.ts';
import { refusalProblem } from './refusal.ts';
import { jsonReply, notModifiedReply, problemReply, type Reply, send, taggedReply } from './reply.ts';
import { chargeAndSend, NOTHING_CHARGED } from './settle.ts';
import { queryOf, valuesFromText, withValues } from './text-input.ts';

/** One request for one endpoint, its route already found. */
export type Exchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Decoded path parameters; null when one could not be decoded. */
  readonly params: Readonly<Record<string, string>> | null;
};

type Understood = { readonly read: ReadCall; readonly named: NamedCall };

/**
 * Answers one call: authenticate, validate, see that the balance suffices, do the work, build the
 * whole answer, charge, send (contract 1, order of checks; contract 2, charge last).
 */
export async function serve(api: Api, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  const { req } = exchange;
  const credential = api.readCredential(req);
  if (credential.kind !== 'presented') {
    return tell(exchange, unauthorized(credential.kind === 'invalid'));
  }
  const { read, named } = understand(endpoint, exchange);
  // A call that is not valid is authenticated all the same, and told nothing of the balance.
  const asked = read.ok ? named.call : { ...named.call, cost: 0 };
  const claims = named.claims && read.ok;
  const opened = await attempt(
    api,
    () => api.gate.open(credential.presented, asked, claims),
    // The client was told 503: its next try must not meet a claim that nobody holds.
    (late) => {
      if (claims && late !== null) void release(api, late.credential, asked);
    },
  );
  // Without Redis or Mongo nobody is authenticated, so nothing is said about credits.
  if (opened.problem !== null) return tell(exchange, opened.problem);
  const refused = refusedOpening(api, endpoint, opened.value);
  const told = toldOf(endpoint);
  if (refused !== null) return tell(exchange, refused, refused.status === 401 ? [] : told);
  if (!read.ok) return tell(exchange, invalid(read.details), told);
  if (opened.value === null) return;
  await finish(api, endpoint, { exchange, named, opened: opened.value, run: read.run });
}

/** Reads the parameters and headers; all that is wrong with them is listed together. */
function understand(endpoint: Endpoint, { req, params }: Exchange): Understood {
  const query = new URLSearchParams(queryOf(req.url ?? ''));
  const text = valuesFromText(endpoint, params ?? {}, query);
  const read = endpoint.read(text.values);
  const named = nameCall(endpoint, req, read);
  const undecodable: Detail[] = params === null ? [{ param: 'path', reason: 'not decodable' }] : [];
  const before = [...undecodable, ...text.details, ...named.details];
  if (before.length === 0 && read.ok) return { read, named };
  const listed = new Set(before.map((detail) => detail.param));
  const found = read.ok || params === null ? [] : read.details.filter((detail) => !listed.has(detail.param));
  return { read: { ok: false, details: withValues([...before, ...found], query) }, named };
}

type Work = {
  readonly exchange: Exchange;
  readonly named: NamedCall;
  readonly opened: Opened;
  readonly run: (reading: Parameters<Extract<ReadCall, { ok: true }>['run']>[0]) => Promise<Outcome<unknown>>;
};

async function finish(api: Api, endpoint: Endpoint, work: Work): Promise<void> {
  const { req, res, requestId } = work.exchange;
  const { credential, result } = work.opened;
  const { call } = work.named;
  const done = await attempt(api, () => work.run(readingOf(api, credential.orgId, result.balance)));
  const built = done.problem === null ? replyTo(req, done.value) : { reply: null, problem: done.problem };
  if (built.reply !== null && endpoint.credits === 0) return send(res, requestId, built.reply);
  let failed: Problem | null = built.problem;
  if (built.reply !== null) {
    const charge = await chargeAndSend(api, { res, requestId, credential, call }, built.reply);
    if (charge === 'sent') return;
    failed = charge === 'gone' ? null : refusalProblem(charge, call.cost, api.siteUrl);
  }
  // A call that failed uncharged does not use its Idempotency-Key up.
  if (work.named.claims) await release(api, credential, call);
  if (failed !== null) tell(work.exchange, failed, failed.status === 401 ? [] : toldOf(endpoint));
}

async function release(api: Api, credential: Credential, call: Call): Promise<void> {
  await api.wallet.release(credential, call).catch(() => undefined);
}

/** What an error says about credits after authentication; nothing where nothing is metered. */
function toldOf(endpoint: Endpoint): HeaderList {
  return endpoint.credits === 0 ? [] : NOTHING_CHARGED;
}

function tell({ res, requestId }: Exchange, told: Problem, headers: HeaderList = []): void {
  send(res, requestId, problemReply(told, requestId), headers);
}

function readingOf(api: Api, orgId: string, balance: number): Parameters<Work['run']>[0] {
  const findBrief = async (ticker: Parameters<Api['briefs']['find']>[0]) =>
    (await api.briefs.find(ticker)).brief;
  return { db: api.db, siteUrl: api.siteUrl, orgId, balance, findBrief };
}

function refusedOpening(api: Api, endpoint: Endpoint, opened: Opened | null): Problem | null {
  if (opened === null) return unauthorized(true);
  const { result } = opened;
  if (result.kind === 'open' || result.kind === 'replay') return null;
  return refusalProblem(result, endpoint.credits, api.siteUrl);
}

type Built =
  | { readonly reply: Reply; readonly problem: null }
  | { readonly reply: null; readonly problem: Problem };

function replyTo(req: IncomingMessage, outcome: Outcome<unknown>): Built {
  switch (outcome.kind) {
    case 'problem':
      return { reply: null, problem: outcome.problem };
    case 'stored':
      return { reply: chooseBriefReply(req, briefReplies(outcome.brief)), problem: null };
    case 'body':
      return { reply: bodyReply(req, outcome), problem: null };
  }
}

function bodyReply(
  req: IncomingMessage,
  { body, etag, headers }: Extract<Outcome<unknown>, { kind: 'body' }>,
): Reply {
  if (etag === undefined) return jsonReply(200, body, headers);
  return hasCurrent(req, etag) ? notModifiedReply(etag) : taggedReply(body, etag, headers);
}
