import type { Redis } from 'ioredis';
import type { RedisKeys } from './redis-keys.ts';
import { loadScript, readReply, type ScriptReply } from './script.ts';

const runCharge = loadScript(new URL('charge.lua', import.meta.url));
const runOpen = loadScript(new URL('open.lua', import.meta.url));
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
  readonly attempt: string;
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
} as const;

type RefusalCode = keyof typeof REFUSALS;
const REFUSAL_CODES = Object.keys(REFUSALS) as RefusalCode[];

/**
 * What a refused call is told. `unknown_key`: project the key record and ask again. `not_opened`,
 * `fenced`, `lagging`: unavailable for now. `insufficient`: the balance of the same read.
 */
export type Refusal = { readonly kind: RefusalKind; readonly balance: number };

export type RefusalKind = (typeof REFUSALS)[RefusalCode];

/** `charged` also answers the resend of the same attempt; `replayed` was paid by an earlier one. */
export type ChargeResult =
  | { readonly kind: 'charged'; readonly balance: number }
  | { readonly kind: 'replayed'; readonly balance: number }
  | Refusal;

/** `open`: go on and charge. `replay`: go on, the work is free. */
export type OpenResult =
  | { readonly kind: 'open'; readonly balance: number }
  | { readonly kind: 'replay'; readonly balance: number }
  | Refusal;

export type VoidResult = 'voided' | 'tombstone' | 'already' | 'none' | 'refused';

export type GrantResult = {
  readonly kind: 'applied' | 'already' | 'gap' | 'fenced';
  readonly balance: number;
};

export type Wallet = {
  readonly charge: (credential: Credential, call: Call) => Promise<ChargeResult>;
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
};

/** The five credits scripts with typed answers. Rejects only when Redis does not answer. */
export function openWallet(redis: Redis, keys: RedisKeys, options: WalletOptions): Wallet {
  return {
    async charge(who, call) {
      const reply = readReply(
        await runCharge(
          redis,
          [keys.key(who.keyId), keys.org(who.orgId), keys.log, keys.marker(who.orgId, call.request)],
          chargeArgs(who, call, options.exposureCap),
        ),
        ['OK', 'REPLAY', ...REFUSAL_CODES],
      );
      if (reply.code === 'OK') return { kind: 'charged', balance: reply.balance };
      if (reply.code === 'REPLAY') return { kind: 'replayed', balance: reply.balance };
      return refusal(reply.code, reply.balance);
    },
    async open(who, call, claims) {
      const reply = readReply(
        await runOpen(
          redis,
          [keys.key(who.keyId), keys.org(who.orgId), keys.marker(who.orgId, call.request)],
          openArgs(who, call, claims),
        ),
        ['OK', 'REPLAY', ...REFUSAL_CODES],
      );
      if (reply.code === 'OK') return { kind: 'open', balance: reply.balance };
      if (reply.code === 'REPLAY') return { kind: 'replay', balance: reply.balance };
      return refusal(reply.code, reply.balance);
    },
    void: (account, call) => voidCall(redis, keys, { account, call }),
    async release(account, call) {
      await runRelease(redis, [keys.marker(account.orgId, call.request)], [call.attempt]);
    },
    async grant(org, grant) {
      const args = [org.orgId, String(org.epoch), String(grant.g), String(grant.amount)];
      return grantResult(
        readReply(await runGrant(redis, [keys.org(org.orgId), keys.log], args), [
          'APPLIED',
          'ALREADY',
          'GAP',
          'EFENCED',
        ]),
      );
    },
  };
}

function chargeArgs(who: Credential, call: Call, cap: number): string[] {
  const { digest, orgId, epoch, keyId } = who;
  const { cost, attempt, fingerprint, tool } = call;
  return [digest, orgId, String(epoch), String(cost), attempt, fingerprint, tool, keyId, String(cap)];
}

function openArgs(who: Credential, call: Call, claims: boolean): string[] {
  const { cost, attempt, fingerprint } = call;
  return [who.digest, who.orgId, String(who.epoch), String(cost), attempt, fingerprint, claims ? '1' : '0'];
}

async function voidCall(
  redis: Redis,
  keys: RedisKeys,
  { account, call }: { account: Account; call: Call },
): Promise<VoidResult> {
  const results = {
    VOIDED: 'voided',
    TOMBSTONE: 'tombstone',
    ALREADY: 'already',
    NONE: 'none',
    ENOEPOCH: 'refused',
    EFENCED: 'refused',
  } as const;
  const reply = await runVoid(
    redis,
    [keys.org(account.orgId), keys.log, keys.marker(account.orgId, call.request)],
    [account.orgId, String(account.epoch), call.attempt, call.tool, account.keyId],
  );
  return results[readReply(reply, Object.keys(results) as (keyof typeof results)[]).code];
}

function grantResult(reply: ScriptReply<'APPLIED' | 'ALREADY' | 'GAP' | 'EFENCED'>): GrantResult {
  const kinds = { APPLIED: 'applied', ALREADY: 'already', GAP: 'gap', EFENCED: 'fenced' } as const;
  return { kind: kinds[reply.code], balance: reply.balance };
}

function refusal(code: RefusalCode, balance: number): Refusal {
  return { kind: REFUSALS[code], balance };
}
