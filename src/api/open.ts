import type { Context } from '../context.ts';
import { rememberAccounts } from '../credits/account/accounts.ts';
import { openGate } from '../credits/account/gate.ts';
import { keyStoreOf } from '../credits/account/key-store.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import { startVoids } from '../credits/voids.ts';
import { openWallet } from '../credits/wallet.ts';
import { FORMS, type FormModule } from '../forms/index.ts';
import { openSandbox } from '../sandbox/open.ts';
import { accessOf } from './admission/access.ts';
import { credentialReader } from './admission/credential.ts';
import { countInFlight, limitUploads } from './admission/in-flight.ts';
import { watchOverload } from './admission/overload.ts';
import { openAuthFailureLimiter } from './admission/rate-limit.ts';
import { unavailableLog } from './admission/unavailable-log.ts';
import type { Api } from './api.ts';
import { briefSource, openBriefLookup } from './cache/brief-lookup.ts';

/** The part of a process's context that the API needs. The API does not close it. */
export type ApiContext = Pick<Context, 'config' | 'log' | 'db' | 'creditsRedis' | 'now'> & {
  readonly forms?: readonly FormModule[];
};

/** Bodies that one client may send at the same time. */
const MAX_UPLOADS = 100;

/** Opens what the API needs. {@link closeApi} closes it. */
export async function openApi(context: ApiContext): Promise<Api> {
  const { config, log, db, creditsRedis: redis, now, forms = FORMS } = context;
  const keys = redisKeys(config.creditsTag);
  const { limits } = config;
  const rateLimit =
    limits.callsPerSecond === 0 ? undefined : { perSecond: limits.callsPerSecond, burst: limits.burst };
  const wallet = openWallet(redis, keys, { rateLimit });
  const accounts = rememberAccounts({ db, now });
  const store = await keyStoreOf(context);
  const briefs = await openBriefLookup(redis, keys.currentBriefs, briefSource(db, now));
  return {
    db,
    log,
    logUnavailable: unavailableLog(log),
    siteUrl: config.siteUrl,
    forms,
    access: accessOf(config),
    readCredential: credentialReader(store.pepper),
    accounts,
    wallet,
    gate: openGate({ redis, keys, wallet, accounts }),
    voids: startVoids(wallet, (call) => log.error({ attemptId: call.attemptId }, 'charge not voided')),
    briefs,
    sandbox: openSandbox(db),
    rateLimit,
    inFlight: countInFlight(limits.inFlightPerKey),
    authFailures: openAuthFailureLimiter(limits.failedAuthPerMinute, config.trustProxy),
    refuseUpload: limitUploads(MAX_UPLOADS, config.trustProxy),
    overload: watchOverload({ maxInFlight: limits.inFlight, maxDelayMs: limits.loopDelayMs }),
    store,
    signUp: config.signUp,
    trustProxy: config.trustProxy,
  };
}

export async function closeApi(api: Api): Promise<void> {
  api.overload.close();
  await api.briefs.close();
}
