import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.ts';
import { loadScript, readReply } from './script.ts';

const ENTER = new URL('enter.lua', import.meta.url);
const runCharge = loadScript(ENTER, new URL('charge.lua', import.meta.url));
const runOpen = loadScript(ENTER, new URL('open.lua', import.meta.url));
const runVoid = loadScript(new URL('void.lua', import.meta.url));
const runRelease = loadScript(new URL('release.lua', import.meta.url));
const runGrant = loadScript(new URL('grant.lua', import.meta.url));

/** Whose call it is. The epoch is the organisation's in Mongo: a rebuilt balance fences off the old one. */
export type Account = { readonly keyId: string; readonly orgId: string; readonly epoch: number };

/** A key that is allowed to speak for an account if the digest is right. */
export type Credential = Account & { readonly digest: string };

export type Call = {
  readonly cost: number;
  readonly tool: string;
  /** Unique for each request received; sent again after a lost reply it charges once. */
  readonly attemptId: string;
  /** The request that is charged once: the attempt itself, or what an Idempotency-Key names. */
  readonly request: string;
  /** SHA-256 of what is asked; empty without an Idempotency-Key. */
  readonly fingerprint: string;
};

const REFUSALS = {
  ENOKEY: 'unknown_key',
  EAUTH: 'unauthorized',
  ENOEPOCH: 'not_opened',
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

type RefusalCode = keyof typeof REFUSALS;
const REFUSAL_CODES = Object.keys(REFUSALS) as RefusalCode[];

/**
 * What a refused call is told. `unknown_key`: project the key record and ask again. `not_opened`,
 * `fenced`, `lagging`: unavailable for now. `insufficient`: the balance of the same read.
 * `rate_limited`: `calls` is the number of milliseconds to wait.
 */
export type Refusal = { readonly kind: RefusalKind; readonly balance: number; readonly calls: number | null };

export type RefusalKind = (typeof REFUSALS)[RefusalCode];

/** `calls`: how many the key has left in its burst; null when the call was not counted. */
type Passed<Kind extends string> = {
  readonly kind: Kind;
  readonly balance: number;
  readonly calls: number | null;
};

/** `charged` also answers the resend of the same attempt; `replayed` was paid by an earlier one. */
export type ChargeResult = Passed<'charged'> | Passed<'replayed'> | Refusal;

/** `open`: go on and charge. `replay`: go on, the work is free. */
export type OpenResult = Passed<'open'> | Passed<'replay'> | Refusal;

export type VoidResult = 'voided' | 'tombstone' | 'already' | 'none' | 'refused';

export type GrantResult = {
  readonly kind: 'applied' | 'already' | 'gap' | 'fenced';
  readonly balance: number;
};

export type Wallet = {
  /** `counts`: the call was not opened before, so it is counted against the key's pace here. */
  readonly charge: (credential: Credential, call: Call, counts?: boolean) => Promise<ChargeResult>;
  /** Authenticates and reads the balance; claims the request when it has an Idempotency-Key. */
  readonly open: (credential: Credential, call: Call, claims: boolean) => Promise<OpenResult>;
  readonly void: (account: Account, call: Call) => Promise<VoidResult>;
  /** Gives up a claim after a call that failed uncharged. */
  readonly release: (account: Account, call: Call) => Promise<void>;
  readonly grant: (
    org: Omit<Account, 'keyId'>,
    grant: { readonly g: number; readonly amount: number },
  ) => Promise<GrantResult>;
};

export type WalletOptions = {
  /** Most credits that may be charged and not yet in Mongo, per organisation; 0: no cap. */
  readonly exposureCap: number;
  /** How often a key may call; none for unlimited. */
  readonly rateLimit?: RateLimit | undefined;
};

/** Calls a second in the long run, and how many at once after a rest. */
export type RateLimit = { readonly perSecond: number; readonly burst: number };

/** The five credits scripts with typed answers. Rejects only when Redis does not answer. */
export function openWallet(redis: Redis, keys: RedisKeys, options: WalletOptions): Wallet {
  const at: Place = { redis, keys };
  return {
    charge: (who, call, counts = false) =>
      chargeCall(at, who, {
        call,
        exposureCap: options.exposureCap,
        rateLimit: counts ? options.rateLimit : undefined,
      }),
    open: (who, call, claims) => openCall(at, who, { call, claims, pace: options.rateLimit }),
    void: (account, call) => voidCall(at, account, call),
    async release(account, call) {
      await runRelease(redis, [keys.marker(account.orgId, call.request)], [call.attemptId]);
    },
    grant: (org, grant) => applyGrant(at, org, grant),
  };
}

type Place = { readonly redis: Redis; readonly keys: RedisKeys };

const REFUSAL_OR_DONE = ['OK', 'REPLAY', ...REFUSAL_CODES] as const;

async function chargeCall(
  { redis, keys }: Place,
  { digest, orgId, epoch, keyId }: Credential,
  { call, exposureCap, rateLimit }: WalletOptions & { readonly call: Call },
): Promise<ChargeResult> {
  const { cost, attemptId, fingerprint, tool } = call;
  const reply = await runCharge(
    redis,
    [keys.key(keyId), keys.org(orgId), keys.log, keys.marker(orgId, call.request)],
    [
      ...[digest, orgId, String(epoch), String(cost), attemptId, fingerprint, tool, keyId],
      ...[String(exposureCap), ...paceText(rateLimit)],
    ],
  );
  const { code, balance, calls } = readReply(reply, REFUSAL_OR_DONE);
  if (code === 'OK') return { kind: 'charged', balance, calls };
  if (code === 'REPLAY') return { kind: 'replayed', balance, calls };
  return { kind: REFUSALS[code], balance, calls };
}

async function openCall(
  { redis, keys }: Place,
  { digest, orgId, epoch, keyId }: Credential,
  { call, claims, pace }: { call: Call; claims: boolean; pace: RateLimit | undefined },
): Promise<OpenResult> {
  const { cost, attemptId, fingerprint } = call;
  const reply = await runOpen(
    redis,
    [keys.key(keyId), keys.org(orgId), keys.marker(orgId, call.request)],
    [
      digest,
      orgId,
      String(epoch),
      String(cost),
      attemptId,
      fingerprint,
      claims ? '1' : '0',
      ...paceText(pace),
    ],
  );
  const { code, balance, calls } = readReply(reply, REFUSAL_OR_DONE);
  if (code === 'OK') return { kind: 'open', balance, calls };
  if (code === 'REPLAY') return { kind: 'replay', balance, calls };
  return { kind: REFUSALS[code], balance, calls };
}

function paceText(pace: RateLimit | undefined): [rate: string, burst: string] {
  return pace === undefined ? ['0', '0'] : [String(pace.perSecond), String(pace.burst)];
}

const VOIDS = {
  VOIDED: 'voided',
  TOMBSTONE: 'tombstone',
  ALREADY: 'already',
  NONE: 'none',
  ENOEPOCH: 'refused',
  EFENCED: 'refused',
} as const;

async function voidCall({ redis, keys }: Place, account: Account, call: Call): Promise<VoidResult> {
  const reply = await runVoid(
    redis,
    [keys.org(account.orgId), keys.log, keys.marker(account.orgId, call.request)],
    [account.orgId, String(account.epoch), call.attemptId, call.tool, account.keyId],
  );
  return VOIDS[readReply(reply, Object.keys(VOIDS) as (keyof typeof VOIDS)[]).code];
}

const GRANTS = { APPLIED: 'applied', ALREADY: 'already', GAP: 'gap', EFENCED: 'fenced' } as const;

async function applyGrant(
  { redis, keys }: Place,
  { orgId, epoch }: Omit<Account, 'keyId'>,
  { g, amount }: { readonly g: number; readonly amount: number },
): Promise<GrantResult> {
  const reply = await runGrant(
    redis,
    [keys.org(orgId), keys.log],
    [orgId, String(epoch), String(g), String(amount)],
  );
  const { code, balance } = readReply(reply, Object.keys(GRANTS) as (keyof typeof GRANTS)[]);
  return { kind: GRANTS[code], balance };
}
