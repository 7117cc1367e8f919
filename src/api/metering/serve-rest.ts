import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Api } from '../api.ts';
import { briefReplies, chooseBriefReply, hasCurrent } from '../cache/brief-reply.ts';
import type { Endpoint, ReadCall } from '../endpoint/endpoint.ts';
import { queryOf, valuesFromText, withValues } from '../endpoint/text-input.ts';
import type { HeaderList } from '../http/base-headers.ts';
import type { Detail, Problem } from '../http/problem.ts';
import { jsonReply, notModifiedReply, problemReply, type Reply, send, taggedReply } from '../http/reply.ts';
import { admit } from './admit.ts';
import { type Answered, finishCall, openCall } from './call.ts';
import { type NamedCall, nameCall } from './idempotency.ts';

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
 * Answers one call over REST: authenticate, validate, see that the balance suffices, do the work,
 * build the whole answer, charge, send (rules 11.2 and 12.2).
 */
export async function serve(api: Api, endpoint: Endpoint, exchange: Exchange): Promise<void> {
  const { req, res, requestId } = exchange;
  const { presented, problem: barred } = await admit(api, req);
  if (barred !== null) return tell(exchange, barred);
  const { opened, ...refused } = await openCall(api, endpoint, {
    presented,
    ...understand(endpoint, exchange),
  });
  if (opened === null) {
    if (refused.problem?.status === 401) await api.authFailures.count(req);
    if (refused.problem !== null) tell(exchange, refused.problem, refused.metered);
    return;
  }
  await finishCall(api, endpoint, opened, {
    res,
    build: (answered) => replyTo(req, answered),
    deliver: (reply, metered) => send(res, requestId, reply, metered),
    refuse: (problem, metered) => tell(exchange, problem, metered),
  });
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

function tell({ res, requestId }: Exchange, told: Problem, headers: HeaderList = []): void {
  send(res, requestId, problemReply(told, requestId), headers);
}

function replyTo(req: IncomingMessage, answered: Answered): Reply {
  if (answered.kind === 'stored') return chooseBriefReply(req, briefReplies(answered.brief));
  const { body, etag, headers } = answered;
  if (etag === undefined) return jsonReply(200, body, headers);
  return hasCurrent(req, etag) ? notModifiedReply(etag) : taggedReply(body, etag, headers);
}
