import { setTimeout as wait } from 'node:timers/promises';

const RETRY_MS = 1_000;

/**
 * GET with an authorization. A busy API refuses calls with 503 for some moments, and charges nothing for these: they
 * are made again, for `limitMs` at most (default: until it answers otherwise), which also bounds each call.
 */
export async function fetchPatiently(
  url: string,
  authorization: string,
  limitMs?: number,
): Promise<Response> {
  const end = Date.now() + (limitMs ?? Number.POSITIVE_INFINITY);
  for (;;) {
    const signal = limitMs === undefined ? null : AbortSignal.timeout(limitMs);
    const answer = await fetch(url, { headers: { Authorization: authorization }, signal });
    if (answer.status !== 503 || Date.now() > end) return answer;
    await answer.arrayBuffer();
    await wait(RETRY_MS);
  }
}
