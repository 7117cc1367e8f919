import type { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import type { GrantDoc } from '../store/account/grants.ts';
import { type PayingAccount, queueCharges } from './charge-queue.ts';
import { gather, handOut, MAX_BATCH, type Waiting } from './gather.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RedisKeys } from './redis-keys.ts';
import { batchScript, moneyScript, type RedisRun, redisRun } from './run.ts';

const runVoid = moneyScript(new URL('void.lua', import.meta.url));
const runGrant = moneyScript(new URL('grant.lua', import.meta.url));

/** Who pays. The epoch is the organisation's in MongoDB: a rebuilt balance refuses calls of the old one. */
export type Account = { readonly keyId: string; readonly orgId: string; readonly epoch: number };

/** A key that may spend the credits of an account if its digest is right. */
export type Credential = Account & { readonly digest: string };

export type Call = {
  readonly cost: number;
  readonly tool: string;
  /** Unique for each request received. Sent again after a lost reply, it charges once. */
  readonly attemptId: string;
  /** The request that is charged once: the attempt id, or what an Idempotency-Key or a message names. */
  readonly request: string;
  /** SHA-256 of the call's content; empty when the request is the attempt id. */
  readonly fingerprint: string;
  /** Digest of its answer, of a named request: the same answer again is free, another one is charged. */
  readonly answer?: string;
  /** A button named its price: another answer than the paid one is refused, so that it is offered again. */
  readonly isOffered?: boolean;
  /** Named by its message, not by a key: charged once in a minute, and open until it is answered. */
  readonly isRepeatable?: boolean;
  /** How long its answer may be held, whole and up to 60: its claim stays for as long. */
  readonly heldSeconds?: number;
};

const REFUSALS = {
  ENOKEY: 'unknown_key',
  EAUTH: 'unauthorized',
  ENOEPOCH: 'not_opened',
  ESTALE: 'unconfirmed',
  EFENCED: 'fenced',
  EBALANCE: 'insufficient',
  ELAG: 'lagging',
  ECONFLICT: 'conflict',
  EMISMATCH: 'mismatch',
  EEXHAUSTED: 'exhausted',
  EVOID: 'voided',
  EARG: 'malformed',
  ERATE: 'rate_limited',
} as const;

/** What every credits script returns. `callsOrWaitMs` is null where the script returns -1 or nothing. */
type ScriptReply<Kind extends string> = {
  readonly kind: Kind;
  readonly balance: number;
  readonly callsOrWaitMs: number | null;
};

type Result<Kind extends string> = Omit<ScriptReply<Kind>, 'callsOrWaitMs'> & {
  /** Calls that the organisation has left at once; null when the call was not counted. */
  readonly calls: number | null;
  /** Until the organisation has one call again; 0 unless `rate_limited`. */
  readonly waitMs: number;
};

/**
 * Why a call is refused. `unknown_key`: cache the key record and try again. `not_opened`, `unconfirmed`, `fenced`:
 * have the balance admitted and try again. `lagging`: temporarily unavailable. `insufficient`: `balance` is of the
 * same read.
 */
export type Refusal = Result<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/** `charged` also answers a resend of the same attempt; `replayed` was paid by an earlier one. */
export type ChargeResult = Result<'charged'> | Result<'replayed'> | Refusal;

/** `open`: go on and charge. `replay`: go on, without a charge. */
export type OpenResult = Result<'open'> | Result<'replay'> | Refusal;

export type Wallet = ReturnType<typeof openWallet>;

type WalletOptions = {
  /** Maximum credits of an organisation that are charged and not yet in MongoDB; 0: no maximum. */
  readonly exposureCap?: number;
  /** The same of all organisations together. */
  readonly totalExposureCap?: number;
  /** Of a process that answers calls: what it dies with is voided (rule 12.9). */
  readonly openCalls?: OpenCalls;
  /** How often an organisation may call; undefined for unlimited. */
  readonly rateLimit?: RateLimit | undefined;
};

/** Sustained calls a second, and how many at once after a pause. */
export type RateLimit = { readonly perSecond: number; readonly burst: number };

const CHARGES = { OK: 'charged', REPLAY: 'replayed', ...REFUSALS } as const;
const OPENINGS = { OK: 'open', REPLAY: 'replay', ...REFUSALS } as const;
const VOIDS = {
  VOIDED: 'voided',
  KEPT: 'kept',
  TOMBSTONE: 'tombstone',
  ALREADY: 'already',
  NONE: 'none',
  ENOEPOCH: 'refused',
  ESTALE: 'refused',
  EFENCED: 'refused',
} as const;
const GRANTS = {
  APPLIED: 'applied',
  ALREADY: 'already',
  GAP: 'gap',
  ENOEPOCH: 'refused',
  ESTALE: 'refused',
  EFENCED: 'refused',
} as const;

/** What proves a charge when its marker may be gone. */
type Proof = {
  readonly kind: 'void' | 'crash_void';
  /** Empty when only the marker can tell. */
  readonly cost: number | '';
  /** The client hung up; who does so too often pays all the same (rule 12.2). */
  readonly isHungUp?: boolean;
  /** The open call that ends with the void, when it is of another process. */
  readonly openCall?: string;
};

/** The four credits scripts with typed results. Rejects only when Redis does not answer. */
export function openWallet(redis: Redis, keys: RedisKeys, options: WalletOptions = {}) {
  const { exposureCap = 0, totalExposureCap = 0, rateLimit, openCalls } = options;
  const run = redisRun(redis, keys.fence);
  const rate = rateLimitArgs(rateLimit);
  const limits = [String(exposureCap), String(totalExposureCap), ...rate] as const;
  const openings = queueOpenings({ run, rate });
  const charge = queueCharges({ run, keys, limits, openCalls });
  const accountOf = (who: Credential): PayingAccount => payingAccount(keys, who);
  return {
    /** `counts`: the call was not opened before, so it is counted against the rate limit here. */
    async charge(who: Credential, call: Call, counts = false): Promise<ChargeResult> {
      const { cost, attemptId, fingerprint, tool, request, answer = '', isOffered = false } = call;
      const isCounted = counts && rateLimit !== undefined;
      const reply = await charge({
        account: accountOf(who),
        marker: keys.marker(who.orgId, request),
        openName: openNameOf(call),
        args: [
          String(cost),
          attemptId,
          fingerprint,
          tool,
          isCounted ? '1' : '0',
          `${isOffered ? '!' : ''}${answer}`,
        ],
      });
      return resultOf(readReply(reply, CHARGES));
    },
    /** The answer of a charge was handed to the system. */
    answered: (call: Call): void => openCalls?.answer(call.attemptId),
    /** Authenticates and reads the balance; claims the request when it has an Idempotency-Key. */
    async open(who: Credential, call: Call, claims: boolean): Promise<OpenResult> {
      const { cost, attemptId, fingerprint, request, heldSeconds = 0 } = call;
      const account = accountOf(who);
      if (!claims) return resultOf(readReply(await openings.plain(account, cost), OPENINGS));
      const claim = { marker: keys.marker(who.orgId, request), attemptId, fingerprint, heldSeconds };
      return resultOf(readReply(await openings.claiming(account, cost, claim), OPENINGS));
    },
    /** `refused`: have the balance admitted and try again. */
    async void({ orgId, epoch, keyId }: Account, call: Call, proof: Partial<Proof> = {}) {
      const { kind = 'void', cost = '', openCall = openNameOf(call), isHungUp = false } = proof;
      const names = [keys.org(orgId), keys.log, keys.marker(orgId, call.request), keys.openCalls];
      const of = [orgId, String(epoch), call.attemptId, call.tool, keyId];
      const args = [...of, kind, String(cost), openCall, isHungUp ? '1' : '0'];
      return readReply(await runVoid(run, names, args), VOIDS).kind;
    },
    async grant({ orgId, epoch }: Omit<Account, 'keyId'>, { g, amount }: Pick<GrantDoc, 'g' | 'amount'>) {
      const args = [orgId, String(epoch), String(g), String(amount)];
      const { kind, balance } = readReply(await runGrant(run, [keys.org(orgId), keys.log], args), GRANTS);
      return { kind, balance };
    },
  };

  /** A client that retries with its Idempotency-Key gets the answer that it has paid, so its charge stays. */
  function openNameOf(call: Call): string {
    const isNamed = call.request !== call.attemptId && call.isRepeatable !== true;
    return isNamed ? '' : (openCalls?.nameOf(call.attemptId) ?? '');
  }
}

function payingAccount(keys: RedisKeys, { keyId, orgId, epoch, digest }: Credential): PayingAccount {
  const values = [digest, orgId, String(epoch), keyId] as const;
  return { id: values.join(' '), names: { key: keys.key(keyId), org: keys.org(orgId) }, values };
}

/** A wait for a rate-limited call, else the calls left. */
function resultOf<Kind extends string>({ kind, balance, callsOrWaitMs }: ScriptReply<Kind>): Result<Kind> {
  const isLimited = kind === REFUSALS.ERATE;
  return {
    kind,
    balance,
    calls: isLimited ? null : callsOrWaitMs,
    waitMs: isLimited ? (callsOrWaitMs ?? 0) : 0,
  };
}

function rateLimitArgs(rateLimit: RateLimit | undefined): [rate: string, burst: string] {
  return rateLimit === undefined ? ['0', '0'] : [String(rateLimit.perSecond), String(rateLimit.burst)];
}

/**
 * Reads `{ code, balance, calls left or wait }` by the codes that the script documents. Throws `script_reply` for
 * others.
 */
function readReply<Kind extends string>(
  reply: unknown,
  kinds: Readonly<Record<string, Kind>>,
): ScriptReply<Kind> {
  const [code, credits, callsOrWait = -1]: unknown[] = Array.isArray(reply) ? reply : [];
  const kind = Object.hasOwn(kinds, String(code)) ? kinds[String(code)] : undefined;
  const balance = Number(credits);
  const callsOrWaitMs = Number(callsOrWait);
  if (kind !== undefined && Number.isSafeInteger(balance) && Number.isSafeInteger(callsOrWaitMs)) {
    return { kind, balance, callsOrWaitMs: callsOrWaitMs < 0 ? null : callsOrWaitMs };
  }
  throw new AppError('script_reply', `A credits script returned ${JSON.stringify(reply)}`);
}

const runOpen = batchScript(new URL('enter.lua', import.meta.url), new URL('open.lua', import.meta.url));

type Parts = {
  readonly run: RedisRun;
  /** Calls a second of an organisation, and its burst. */
  readonly rate: readonly [rate: string, burst: string];
};

/** A call that claims its Idempotency-Key. */
type Claim = {
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
function queueOpenings({ run, rate }: Parts) {
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
