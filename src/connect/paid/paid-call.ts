import type { ServerResponse } from 'node:http';
import type { ReadCall } from '../../api/endpoint/endpoint.ts';
import type { HeaderList } from '../../api/http/base-headers.ts';
import { notedOf } from '../../api/http/noted.ts';
import { type Problem, unauthorized } from '../../api/http/problem.ts';
import { attemptIdOf } from '../../api/http/request-id.ts';
import { finishCall, openCall } from '../../api/metering/call.ts';
import type { Priced } from '../../api/metering/idempotency.ts';
import type { Answered } from '../../api/metering/opened.ts';
import type { Api } from '../../api/open.ts';
import { sha256Hex } from '../../domain/canonical.ts';
import { findKey } from '../../store/account/keys.ts';
import type { Session } from '../sessions.ts';

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
export async function payForPage<T>(api: Api, paid: PaidCall, { res, build, deliver, refuse }: Sending<T>) {
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
