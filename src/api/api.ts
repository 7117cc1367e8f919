import type { Db } from 'mongodb';
import type { Config } from '../config.ts';
import type { Accounts } from '../credits/account/accounts.ts';
import type { Gate } from '../credits/account/gate.ts';
import type { KeyStore } from '../credits/account/key-store.ts';
import type { Voids } from '../credits/voids.ts';
import type { RateLimit, Wallet } from '../credits/wallet.ts';
import type { FormModule } from '../forms/index.ts';
import type { Logger } from '../log.ts';
import type { Sandbox } from '../sandbox/open.ts';
import type { Access } from './admission/access.ts';
import type { CredentialReader } from './admission/credential.ts';
import type { InFlight, RefuseUpload } from './admission/in-flight.ts';
import type { Overload } from './admission/overload.ts';
import type { AuthFailureLimiter } from './admission/rate-limit.ts';
import type { LogUnavailable } from './admission/unavailable-log.ts';
import type { BriefLookup } from './cache/brief-lookup.ts';

/** What the API needs to answer, opened once at start. */
export type Api = {
  readonly db: Db;
  readonly log: Logger;
  readonly logUnavailable: LogUnavailable;
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
  readonly briefs: BriefLookup;
  /** What test keys read instead of `db` and `briefs`. */
  readonly sandbox: Sandbox;
  /** How often a key may call; undefined for unlimited. */
  readonly rateLimit: RateLimit | undefined;
  readonly inFlight: InFlight;
  readonly authFailures: AuthFailureLimiter;
  readonly overload: Overload;
  readonly refuseUpload: RefuseUpload;
  /** For making keys and granting credits; also the clock. */
  readonly store: KeyStore;
  readonly signUp: Config['signUp'];
  /** Proxies in front of the API whose X-Forwarded-For is trusted. */
  readonly trustProxy: number;
};
