import fc from 'fast-check';
import { expect } from 'vitest';
import { digestOf } from '../../src/credits/account/key.ts';
import { createKey } from '../../src/credits/account/key-life.ts';
import { grantCredits } from '../../src/credits/grant.ts';
import { checkLedger } from '../../src/credits/ledger/check.ts';
import { drainLog } from '../../src/credits/ledger/drain.ts';
import { fenceCredits } from '../../src/credits/ledger/fence.ts';
import { openBalance } from '../../src/credits/ledger/open-balance.ts';
import { trackOpenCalls } from '../../src/credits/open-calls.ts';
import { redisKeys } from '../../src/credits/redis-keys.ts';
import { type Call, type Credential, openWallet, type Wallet } from '../../src/credits/wallet.ts';
import { latestRows } from '../../src/store/account/ledger.ts';
import { IS_LONG, scenario } from '../faults/harness/scenario.ts';
import { openWorld, type World } from '../world.ts';
import { voidAfterSilence } from './silence.ts';

const MAX_REPLAYS = 5;
/** A slow machine ends with fewer sequences; the report says how many. */
const LIMIT_MS = IS_LONG ? 3_000_000 : 720_000;
/** Each has a database and a fence of its own: while one waits for a service, another goes on. */
const LANES = 4;

/** What a wallet must be: a balance and the state of each request. */
type Model = {
  balance: number;
  readonly requests: Map<
    string,
    { attempt: string; fingerprint: string; answer: string; replays: number; cost: number }
  >;
  /** The attempt that the last void of a request refused. */
  readonly voided: Map<string, string>;
};
type Real = {
  readonly world: World;
  readonly wallet: Wallet;
  /** The epoch is that of the last time the balance was opened. */
  who: Credential;
  /** What Redis had of the balance at some time. */
  copy: Record<string, string> | null;
  readonly grant: (amount: number) => Promise<void>;
};
type Command = fc.AsyncCommand<Model, Real>;

/** Few names, so that calls collide: request, attempt within it, fingerprint, answer. */
const calls = fc
  .record({
    request: fc.constantFrom('r1', 'r2', 'r3'),
    attempt: fc.constantFrom('a1', 'a2', 'a3', 'a4'),
    fingerprint: fc.constantFrom('f1', 'f2'),
    answer: fc.constantFrom('one', 'one', 'two'),
    cost: fc.constantFrom(1, 7, 10),
  })
  .map((parts): Call => ({ ...parts, attemptId: `${parts.request}-${parts.attempt}`, tool: 'test' }));

function expectedCharge(model: Model, call: Call): string {
  const paid = model.requests.get(call.request);
  if (paid?.attempt === call.attemptId) return 'charged';
  const { attemptId, fingerprint, answer = '', cost } = call;
  if (paid !== undefined && paid.fingerprint !== fingerprint) return 'mismatch';
  if (paid?.answer === answer) {
    if (paid.replays >= MAX_REPLAYS) return 'exhausted';
    paid.replays += 1;
    return 'replayed';
  }
  if (model.voided.get(call.request) === call.attemptId) return 'voided';
  if (model.balance < call.cost) return 'insufficient';
  model.balance -= call.cost;
  model.voided.delete(call.request);
  model.requests.set(call.request, { attempt: attemptId, fingerprint, answer, replays: 0, cost });
  return 'charged';
}

function expectedVoid(model: Model, call: Call): string {
  const paid = model.requests.get(call.request);
  if (paid === undefined) {
    const before = model.voided.get(call.request);
    model.voided.set(call.request, call.attemptId);
    return before === call.attemptId ? 'already' : 'tombstone';
  }
  if (paid.attempt !== call.attemptId || paid.replays > 0) return 'none';
  model.balance += paid.cost;
  model.requests.delete(call.request);
  model.voided.set(call.request, call.attemptId);
  return 'voided';
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return { check: () => true, run, toString: () => name };
}

const commands = [
  calls.map((call) =>
    command(`charge ${JSON.stringify(call)}`, async (model, { wallet, who }) => {
      const kind = expectedCharge(model, call);
      const result = await wallet.charge(who, call);
      expect({ kind: result.kind, balance: result.balance }).toEqual({ kind, balance: model.balance });
    }),
  ),
  calls.map((call) =>
    command(`void ${JSON.stringify(call)}`, async (model, { wallet, who }) => {
      const kind = expectedVoid(model, call);
      expect(await wallet.void(who, call)).toBe(kind);
    }),
  ),
  fc.integer({ min: 0, max: 20 }).map((amount) =>
    command(`grant ${amount}`, async (model, { grant }) => {
      model.balance += amount;
      await grant(amount);
    }),
  ),
  ...Object.entries({
    drain: async ({ world }) => void (await drainLog(world.store)),
    fence: async (real) => {
      await fenceCredits(real.world.store);
      await reopen(real);
    },
    'take a copy of Redis': async (real) => {
      real.copy = await real.world.credits.hgetall(nameOf(real));
    },
    'lose the balance': async (real) => {
      await drainLog(real.world.store);
      await real.world.credits.del(nameOf(real));
      await reopen(real);
    },
    'restore the copy': async (real) => {
      if (real.copy === null) return;
      await drainLog(real.world.store);
      // A copy has the log that its charges at risk are in, which is drained by now.
      await real.world.credits.hset(nameOf(real), { ...real.copy, und: 0, run: 'another' });
      await reopen(real);
    },
    'kill a process between charge and answer': async ({ world, who }) => {
      const openCalls = trackOpenCalls(world.credits, redisKeys(world.creditsTag));
      const attemptId = `dead-${Math.random()}`.replace('.', '-');
      const died = { cost: 1, tool: 'test', attemptId, request: attemptId, fingerprint: '' };
      await openWallet(world.credits, redisKeys(world.creditsTag), { openCalls }).charge(who, died);
      await voidAfterSilence(world.store);
    },
  } satisfies Record<string, (real: Real) => Promise<void>>).map(([name, run]) =>
    fc.constant(command(name, (_, real) => run(real))),
  ),
];

const nameOf = ({ world, who }: Real) => redisKeys(world.creditsTag).org(who.orgId);

async function reopen(real: Real): Promise<void> {
  real.who = { ...real.who, epoch: await openBalance(real.world.store, { _id: real.who.orgId, epoch: 1 }) };
}

const WHAT =
  'any sequence of charges, resends, replays, voids, grants, drains, losses, older copies and kills equals the model';

/** Runs sequences, each with an organisation of its own, and returns how many. The books are exact in the end. */
async function runLane({ seed, sequences }: { seed: number; sequences: number }): Promise<number> {
  const world = await openWorld();
  const { store } = world;
  const wallet = openWallet(world.credits, redisKeys(world.creditsTag));
  let runs = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
        runs += 1;
        const made = await createKey(store, { orgName: `Model ${runs}`, credits: 30, label: '' });
        const { keyId, orgId } = made;
        const who = { keyId, orgId, epoch: 1, digest: digestOf(made.key, store.pepper) };
        const grant = async (amount: number): Promise<void> => {
          await grantCredits(store, { org: orgId, amount, reason: 'model' });
        };
        const model: Model = { balance: 30, requests: new Map(), voided: new Map() };
        const real: Real = { world, wallet, who, grant, copy: null };
        await fc.asyncModelRun(() => ({ model, real }), sequence);
        await drainLog(store);
        const rows = await latestRows(store.db, orgId, 1);
        expect(rows[0]?.balanceAfter).toBe(model.balance);
      }),
      { numRuns: sequences, seed, interruptAfterTimeLimit: LIMIT_MS },
    );
    expect((await checkLedger(store, { whole: true })).problems).toEqual([]);
    return runs;
  } finally {
    await world.close();
  }
}

scenario(
  'F05',
  WHAT,
  async (run) => {
    const wanted = run.count({ short: 15, long: 10_000 });
    const sequences = Math.ceil(wanted / LANES);
    const lanes = Array.from({ length: LANES }, (_, n) => ({ seed: run.seed * LANES + n, sequences }));
    const made = (await Promise.all(lanes.map(runLane))).reduce((sum, runs) => sum + runs, 0);
    run.measured({ sequences: made });
    if (made < wanted) run.ended(made, 10_000);
  },
  { timeoutMs: IS_LONG ? 3_600_000 : 900_000 },
);
