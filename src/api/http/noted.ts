import type { IncomingMessage } from 'node:http';

/** What becomes known of a request until it is answered, for the access log and the metrics. */
export type Noted = {
  readonly began: number;
  /** Empty before it is asked for. */
  requestId: string;
  /** The template of its route: a path may hold what belongs in no log. */
  route: string;
  /** The agent tool; empty over REST. */
  tool: string;
  orgId: string;
  keyId: string;
  /** Id of the charge in the ledger, where there is one; empty before the call is named. */
  attemptId: string;
  credits: number;
  /** Of its time, what it waited for events. */
  heldMs: number;
};

const NOTED = Symbol('noted');

/** The note of a request, begun by the first who asks. On the request itself, because it is on every call's path. */
export function notedOf(req: IncomingMessage & { [NOTED]?: Noted }): Noted {
  // Field by field: a spread costs a microsecond, and every call has a note.
  req[NOTED] ??= {
    began: performance.now(),
    requestId: '',
    route: '',
    tool: '',
    orgId: '',
    keyId: '',
    attemptId: '',
    credits: 0,
    heldMs: 0,
  };
  return req[NOTED];
}
