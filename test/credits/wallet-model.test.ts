import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
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
import { scenario } from '../faults/harness/scenario.ts';
import { openWorld, type World } from '../world.ts';
import { voidAfterSilence } from './silence.ts';

const MAX_REPLAYS = 5;
/** A slow machine ends with fewer sequences; the report says how many. */
const LIMIT_MS = 720_000;

/** What a wallet must be: a balance and the state of each request. */
type Model = {
  balance: number;
  readonly requests: Map<string, { attempt: string; fingerprint: string; replays: number; cost: number }>;
  /** The attempt that the last void of a request refused. */
  readonly voided: Map<string, string>;
};
type Real = {
  readonly wallet: Wallet;
  /** The epoch is that of the last time the balance was opened. */
  who: Credential;
  /** What Redis had of the balance at some time. */
  copy: Record<string, string> | null;
  readonly grant: (amount: number) => Promise<void>;
};
type Command = fc.AsyncCommand<Model, Real>;

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Few names, so that calls collide: request, attempt within it, fingerprint. */
const calls = fc
  .record({
    request: fc.constantFrom('r1', 'r2', 'r3'),
    attempt: fc.constantFrom('a1', 'a2', 'a3', 'a4'),
    fingerprint: fc.constantFrom('f1', 'f2'),
    cost: fc.constantFrom(1, 7, 10),
  })
  .map((parts): Call => ({ ...parts, attemptId: `${parts.request}-${parts.attempt}`, tool: 'test' }));

function expectedCharge(model: Model, call: Call): string {
  const paid = model.requests.get(call.request);
  if (paid?.attempt === call.attemptId) return 'charged';
  if (paid !== undefined) {
    if (paid.fingerprint !== call.fingerprint) return 'mismatch';
    if (paid.replays >= MAX_REPLAYS) return 'exhausted';
    paid.replays += 1;
    return 'replayed';
  }
  if (model.voided.get(call.request) === call.attemptId) return 'voided';
  if (model.balance < call.cost) return 'insufficient';
  model.balance -= call.cost;
  model.voided.delete(call.request);
  const { attemptId, fingerprint, cost } = call;
  model.requests.set(call.request, { attempt: attemptId, fingerprint, replays: 0, cost });
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
    drain: async () => void (await drainLog(world.store)),
    fence: async (real) => {
      await fenceCredits(world.store);
      await reopen(real);
    },
    'take a copy of Redis': async (real) => {
      real.copy = await world.credits.hgetall(nameOf(real));
    },
    'lose the balance': async (real) => {
      await drainLog(world.store);
      await world.credits.del(nameOf(real));
      await reopen(real);
    },
    'restore the copy': async (real) => {
      if (real.copy === null) return;
      await drainLog(world.store);
      await world.credits.hset(nameOf(real), { ...real.copy, run: 'another' });
      await reopen(real);
    },
    'kill a process between charge and answer': async ({ who }) => {
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

const nameOf = ({ who }: Real) => redisKeys(world.creditsTag).org(who.orgId);

async function reopen(real: Real): Promise<void> {
  real.who = { ...real.who, epoch: await openBalance(world.store, { _id: real.who.orgId, epoch: 1 }) };
}

const WHAT =
  'any sequence of charges, resends, replays, voids, grants, drains, losses, older copies and kills equals the model';

scenario('F05', WHAT, async (run) => {
  const sequences = run.isLong ? 10_000 : 40;
  const keys = redisKeys(world.creditsTag);
  const wallet = openWallet(world.credits, keys);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (sequence) => {
      runs += 1;
      const { store } = world;
      const made = await createKey(store, { orgName: `Model ${runs}`, credits: 30, label: '' });
      const who = {
        keyId: made.keyId,
        orgId: made.orgId,
        epoch: 1,
        digest: digestOf(made.key, store.pepper),
      };
      const grant = async (amount: number): Promise<void> => {
        await grantCredits(store, { org: made.orgId, amount, reason: 'model' });
      };
      const model: Model = { balance: 30, requests: new Map(), voided: new Map() };
      await fc.asyncModelRun(() => ({ model, real: { wallet, who, grant, copy: null } }), sequence);
      await drainLog(store);
      const rows = await latestRows(store.db, made.orgId, 1);
      expect(rows[0]?.balanceAfter).toBe(model.balance);
    }),
    { numRuns: sequences, seed: run.seed, interruptAfterTimeLimit: LIMIT_MS },
  );
  expect((await checkLedger(world.store, { whole: true })).problems).toEqual([]);
  run.measured({ sequences: runs });
});
