import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `calls.mjs state`: prints the id of a brief, the balance and the number of the last event. Its Idempotency-Key makes
 * the brief free from the second time on, so the same state prints the same.
 * `calls.mjs load`: asks for the brief in eight lanes until standard input ends. Each call has an Idempotency-Key of
 * its own and is sent again until it is answered, so it must be charged once. Prints the number of calls.
 */
const { API_URL, TIDEMARK_KEY } = process.env;
const BRIEF = '/v1/stocks/AMZN/capital-change-brief';

async function answer(path, call) {
  const headers = {
    ...{ Accept: 'application/json', Authorization: `Bearer ${TIDEMARK_KEY}` },
    'Idempotency-Key': call,
  };
  const reply = await fetch(API_URL + path, { headers, signal: AbortSignal.timeout(10_000) });
  const body = await reply.text();
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${body.slice(0, 200)}`);
  return JSON.parse(body);
}

async function state() {
  const brief = await answer(BRIEF, 'state');
  const credits = await answer('/v1/credits', 'balance');
  const status = await answer('/status', 'status');
  return `${brief.data.brief_id} ${credits.data.balance} ${status.data.events.head_seq}`;
}

async function load() {
  let stopped = false;
  let calls = 0;
  process.stdin.on('end', () => (stopped = true)).resume();
  const lane = async () => {
    for (; !stopped; calls += 1) await untilAnswered(randomUUID());
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return calls;
}

async function untilAnswered(call) {
  while ((await answer(BRIEF, call).catch(() => null)) === null) await sleep(100);
}

process.stdout.write(`${await { state, load }[process.argv[2]]()}\n`);
