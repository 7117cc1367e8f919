import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import type { SignUpSettings } from '../config.ts';
import type { Accounts } from '../credits/account/accounts.ts';
import type { Gate } from '../credits/account/gate.ts';
import type { KeyStore } from '../credits/account/key-mint.ts';
import type { Voids } from '../credits/voids.ts';
import type { Pace, Wallet } from '../credits/wallet.ts';
import type { FormModule } from '../forms/index.ts';
import type { Logger } from '../log.ts';
import type { Sandbox } from '../sandbox/open.ts';
import type { Access } from './admission/access.ts';
import type { Strangers } from './admission/auth-failure-limiter.ts';
import type { CredentialReader } from './admission/credential.ts';
import type { InFlight } from './admission/in-flight.ts';
import type { Overload } from './admission/overload.ts';
import type { AwayLog } from './admission/unavailable-log.ts';
import type { Arriving } from './admission/upload-limit.ts';
import type { HotBriefs } from './cache/brief-lookup.ts';

/** What answering needs, opened once at start. */
export type Api = {
  readonly db: Db;
  readonly redis: Redis;
  readonly log: Logger;
  readonly away: AwayLog;
  readonly siteUrl: string;
  /** The forms that are carried. */
  readonly forms: readonly FormModule[];
  /** From where the agent tools may be called. */
  readonly access: Access;
  readonly readCredential: CredentialReader;
  readonly accounts: Accounts;
  readonly wallet: Wallet;
  readonly gate: Gate;
  readonly voids: Voids;
  readonly briefs: HotBriefs;
  /** What test keys read in place of `db` and `briefs`. */
  readonly sandbox: Sandbox;
  /** How often a key may call; undefined for unlimited. */
  readonly pace: Pace | undefined;
  readonly inFlight: InFlight;
  readonly strangers: Strangers;
  readonly overload: Overload;
  readonly refuseArriving: Arriving;
  /** Where keys are made and credits granted. */
  readonly store: KeyStore;
  readonly signUp: SignUpSettings;
  /** Proxies in front of the API whose X-Forwarded-For is believed. */
  readonly trustProxy: number;
};
