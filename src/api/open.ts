import type { Context } from '../context.ts';
import { rememberAccounts } from '../credits/accounts.ts';
import { openGate } from '../credits/gate.ts';
import { pepperOf } from '../credits/pepper.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import { startVoids } from '../credits/voids.ts';
import { openWallet } from '../credits/wallet.ts';
import { openSandbox } from '../sandbox/open.ts';
import type { Api } from './api.ts';
import { boundArriving } from './arriving.ts';
import { awayLog } from './away-log.ts';
import { briefSource } from './brief-source.ts';
import { credentialReader } from './credential.ts';
import { openHotBriefs } from './hot.ts';
import { countInFlight } from './in-flight.ts';
import { accessOf } from './mcp/access.ts';
import { watchOverload } from './overload.ts';
import { watchStrangers } from './strangers.ts';

/** What the API needs of a process's context. It closes none of it. */
export type ApiContext = Pick<Context, 'config' | 'log' | 'db' | 'creditsRedis'>;

/** Bodies that one client may be sending at once. */
const MOST_ARRIVING = 100;

/** Opens what answering needs; {@link closeApi} ends what this began. */
export async function openApi({ config, log, db, creditsRedis: redis }: ApiContext): Promise<Api> {
  const keys = redisKeys(config.creditsTag);
  const { limits } = config;
  const pace =
    limits.callsPerSecond === 0 ? undefined : { perSecond: limits.callsPerSecond, burst: limits.burst };
  // No cap on what is charged and not yet in Mongo before there is a drain that lowers it.
  const wallet = openWallet(redis, keys, { exposureCap: 0, pace });
  const accounts = rememberAccounts(db);
  const pepper = await pepperOf(config, db);
  const briefs = await openHotBriefs(redis, keys.heads, briefSource(db));
  return {
    db,
    redis,
    log,
    away: awayLog(log),
    siteUrl: config.siteUrl,
    access: accessOf(config),
    readCredential: credentialReader(pepper),
    accounts,
    wallet,
    gate: openGate({ redis, keys, wallet, accounts }),
    voids: startVoids(wallet, (call) => log.error({ attempt: call.attempt }, 'charge not voided')),
    briefs,
    sandbox: openSandbox(db),
    pace,
    inFlight: countInFlight(limits.inFlightPerKey),
    strangers: watchStrangers(limits.failedAuthPerMinute, config.trustProxy),
    refuseArriving: boundArriving(MOST_ARRIVING, config.trustProxy),
    overload: watchOverload({ mostInFlight: limits.inFlight, mostDelayMs: limits.loopDelayMs }),
    store: { db, redis, tag: config.creditsTag, pepper },
    signUp: config.signUp,
    trustProxy: config.trustProxy,
  };
}

export async function closeApi(api: Api): Promise<void> {
  api.overload.close();
  await api.briefs.close();
}
