import { creditProblems, creditsStatus } from '../credits/ledger/status.ts';
import { VERSION } from '../domain/version.ts';
import type { StatusData } from '../domain/wire/status.ts';
import { openQuarterCounts, serviceStatus, withProblems } from '../read/status/status.ts';
import { inTime } from './metering/with-deadline.ts';
import type { Api } from './open.ts';

/** Anybody may ask without a key, so the services are asked once in this time. */
const KEPT_MS = 5_000;
const LIMIT_MS = 2_500;

const NOTHING_KNOWN: StatusData = {
  ...{ status: 'down', version: VERSION, as_of: null, last_poll_at: null, minutes_behind: null },
  ...{ watermarks: [], quarters: [], events: { head_seq: 0 }, processes: [] },
};

/** Reads what `/status` answers. It never fails: without a service it is what was known last, and `down`. */
export function openStatus(api: Pick<Api, 'db' | 'store' | 'forms'>): () => Promise<StatusData> {
  const { now } = api.store;
  const source = { db: api.db, now, forms: api.forms, countQuarters: openQuarterCounts(now) };
  let last = NOTHING_KNOWN;
  let kept: { readonly at: number; readonly found: Promise<StatusData> } | null = null;
  const find = async (): Promise<StatusData> => {
    const [service, credits] = await Promise.all([
      inTime(serviceStatus(source), LIMIT_MS).catch(() => null),
      inTime(creditsStatus(api.store), LIMIT_MS).catch(() => null),
    ]);
    if (service === null || credits === null) return { ...(service?.data ?? last), status: 'down' };
    last = withProblems(service, creditProblems(credits)).data;
    return last;
  };
  return () => {
    const at = now().getTime();
    if (kept === null || Math.abs(at - kept.at) >= KEPT_MS) kept = { at, found: find() };
    return kept.found;
  };
}
