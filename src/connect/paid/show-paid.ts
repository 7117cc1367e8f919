import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { ReadCall } from '../../api/endpoint/endpoint.ts';
import type { HeaderList } from '../../api/http/base-headers.ts';
import { attemptIdOf, notedOf } from '../../api/http/noted.ts';
import { type Problem, unauthorized } from '../../api/http/problem.ts';
import { finishCall, openCall } from '../../api/metering/call.ts';
import type { Answered, Priced } from '../../api/metering/idempotency.ts';
import type { Api } from '../../api/open.ts';
import { sha256Hex } from '../../domain/canonical.ts';
import { SCRIPTED } from '../../site/assets.ts';
import { sendDownload, sendPage, sendSeeOther } from '../../site/send-page.ts';
import { findKey } from '../../store/account/keys.ts';
import { sendAnswer } from '../answer.ts';
import type { ConnectContext } from '../context.ts';
import { refusalPage } from '../refusal-page.ts';
import type { Session } from '../sessions.ts';
import type { PaidPage, Shown } from './offer.ts';

type Exchange = { readonly req: Request; readonly res: Response };

/** A page whose button was pressed, or its table as a file. */
type Paid = {
  readonly page: PaidPage;
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  readonly session: Session;
  readonly token: string;
  readonly asCsv: boolean;
};

/** A table, to be saved as a file. */
type Saved = { readonly kind: 'saved'; readonly text: string };

/** Charges the page to the visitor, or opens it again under the same token, and sends it. */
export function showPaid(context: ConnectContext, exchange: Exchange, paid: Paid): Promise<void> {
  const { page, path, values, session, token } = paid;
  const csv = paid.asCsv ? page.csv : undefined;
  const button = `${path}?pay=${token}`;
  const call = { session, priced: page, read: page.read(values), token: `${path} ${token}` };
  return payForPage(context.api, call, {
    res: exchange.res,
    refuse: (problem) => refuse(context, exchange, { paid, problem }),
    build: (answered): Shown | Saved =>
      csv === undefined ? page.show(answered, { path, button }) : { kind: 'saved', text: csv(answered) },
    deliver: (shown, headers) => {
      // A replay keeps the time of the charge.
      if (!headers.includes('Idempotent-Replayed')) {
        context.paidTokens.keep({ session, path }, token).catch(context.api.logUnavailable);
      }
      send(exchange, shown, { path, headers });
    },
  });
}

function send(
  { req, res }: Exchange,
  shown: Shown | Saved,
  { path, headers }: { readonly path: string; readonly headers: HeaderList },
): void {
  switch (shown.kind) {
    case 'at':
      return void sendSeeOther(req, res, shown.path, headers);
    case 'page':
      return void sendPage(req, res, shown.document, { caching: 'private', headers, policy: SCRIPTED });
    case 'saved': {
      const name = `tidemark${path.replaceAll('/', '-')}.csv`;
      return void sendDownload(req, res, shown.text, { type: 'text/csv; charset=utf-8', name }, headers);
    }
    default:
      shown satisfies never;
  }
}

async function refuse(
  context: ConnectContext,
  { req, res }: Exchange,
  { paid: { path, session, token, asCsv }, problem }: { readonly paid: Paid; readonly problem: Problem },
): Promise<void> {
  // The replays of this button are used up, or the page has changed since it was paid for: it is offered again.
  if (problem.error === 'idempotency_exhausted' || problem.error === 'idempotency_mismatch') {
    await context.paidTokens.forget({ session, path });
    return sendSeeOther(req, res, path);
  }
  // Pressed twice: the first press is still being answered.
  if (problem.error === 'idempotency_conflict') {
    await sleep(CONFLICT_PAUSE_MS);
    return sendSeeOther(req, res, `${path}?pay=${token}${asCsv ? '&as=csv' : ''}`);
  }
  const { status, message, headers = [] } = problem;
  sendAnswer(req, res, refusalPage(status, TITLES[status] ?? 'Not now', message), headers);
}

/** A browser follows some twenty redirects, which is longer than a call may take. */
const CONFLICT_PAUSE_MS = 500;

const TITLES: Readonly<Record<number, string>> = { 402: 'Not enough credits', 404: 'Nothing to show' };

type PaidCall = {
  readonly session: Session;
  readonly priced: Priced;
  readonly read: ReadCall;
  /** Of the button: pressed twice, it is charged once. */
  readonly token: string;
};

/** How the page is sent; `document` is built before anything is charged. */
type Sending<T> = {
  readonly res: ServerResponse;
  readonly build: (answered: Answered) => T;
  readonly deliver: (document: T, metered: HeaderList) => void;
  readonly refuse: (problem: Problem) => void | Promise<void>;
};

/** Charges a page to the key of the session, by the code that charges a call (rule 12.2). */
async function payForPage<T>(api: Api, paid: PaidCall, { res, build, deliver, refuse }: Sending<T>) {
  const { session, priced, read, token } = paid;
  const key = await findKey(api.db, session.keyId);
  if (key === null) return refuse(unauthorized());
  const presented = { keyId: key._id, digest: key.digest, mode: key.mode };
  const request = `i-${sha256Hex(`page ${token}`).slice(0, 40)}`;
  const fingerprint = sha256Hex(priced.name).slice(0, 32);
  const call = {
    cost: priced.credits,
    tool: priced.name,
    attemptId: attemptIdOf(res.req),
    request,
    fingerprint,
    isOffered: true,
  };
  const named = { call, claims: true, details: [] };
  const opening = await openCall(api, { endpoint: priced, presented, read, named, noted: notedOf(res.req) });
  if (opening.opened === null) return refuse(opening.problem);
  await finishCall(api, opening.opened, { res, build, deliver, refuse });
}
