import type { PayingAccount } from './charge-queue.ts';
import { gather, handOut, MAX_BATCH, type Waiting } from './gather.ts';
import { batchScript, type RedisRun } from './run.ts';

const runOpen = batchScript(new URL('enter.lua', import.meta.url), new URL('open.lua', import.meta.url));

type Parts = {
  readonly run: RedisRun;
  /** Calls a second of an organisation, and its burst. */
  readonly rate: readonly [rate: string, burst: string];
};

/** A call that claims its Idempotency-Key. */
export type Claim = {
  readonly marker: string;
  readonly attemptId: string;
  readonly fingerprint: string;
  readonly heldSeconds: number;
};

type WaitingOpening = Waiting & { readonly cost: string };
type Openings = { readonly account: PayingAccount; readonly calls: WaitingOpening[] };

/**
 * Opens calls. Those of one account at the same moment share one script ({@link gather}); a call with a claim goes
 * alone. Each resolves to its own `{ code, balance, calls left or wait }`, or rejects with the error of its script.
 */
export function queueOpenings({ run, rate }: Parts) {
  let waiting = new Map<string, Openings>();

  async function send(): Promise<void> {
    const accounts = waiting;
    waiting = new Map();
    const openings = [...accounts.values()].map(async ({ account, calls }) => {
      try {
        const { names, args } = openArgs(account, rate);
        for (const { cost } of calls) args.push(cost);
        // Sent at once, ahead of ioredis's pipeline: waiting there would use up its second.
        const reply = await runOpen.now(run, names, args);
        handOut(calls, Array.isArray(reply) ? reply : []);
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    });
    await Promise.all(openings);
  }

  const gathered = gather({ hasWaiting: () => waiting.size > 0, send });
  return {
    plain: (account: PayingAccount, cost: number): Promise<readonly unknown[]> =>
      new Promise((resolve, reject) => {
        const own = waiting.get(account.id) ?? { account, calls: [] };
        waiting.set(account.id, own);
        own.calls.push({ cost: String(cost), resolve, reject });
        if (own.calls.length === MAX_BATCH) gathered.sendNow();
        else gathered.schedule();
      }),
    claiming(account: PayingAccount, cost: number, claim: Claim): Promise<unknown> {
      const { names, args } = openArgs(account, rate);
      const { marker, attemptId, fingerprint, heldSeconds } = claim;
      args.push(String(cost), attemptId, fingerprint, String(heldSeconds));
      return runOpen.withOthers(run, [...names, marker], args);
    },
  };
}

/** The first KEYS and ARGV of `open.lua`. */
function openArgs({ names, values: [digest, orgId, epoch] }: PayingAccount, rate: Parts['rate']) {
  return { names: [names.key, names.org], args: [digest, orgId, epoch, ...rate] };
}
