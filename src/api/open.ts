import type { Collection, Db } from 'mongodb';
import type { Context } from '../context.ts';
import { rememberAccounts } from '../credits/account/accounts.ts';
import { openGate } from '../credits/account/gate.ts';
import { keyStoreOf } from '../credits/account/key-record.ts';
import { trackOpenCalls } from '../credits/open-calls.ts';
import { redisKeys } from '../credits/redis-keys.ts';
import { startVoids } from '../credits/voids.ts';
import { openWallet } from '../credits/wallet.ts';
import { FORMS, type FormModule } from '../forms/index.ts';
import { createAccessLog, type Logger } from '../log.ts';
import { type CallMeters, NO_METERS } from '../metrics/calls.ts';
import { once, openSandbox } from '../sandbox/open.ts';
import { ensureAccountIndexes } from '../store/mongo/indexes.ts';
import { accessOf } from './admission/access.ts';
import { credentialReader } from './admission/credential.ts';
import { countHeld, countInFlight, limitUploads, MAX_UPLOADS, openTurns } from './admission/in-flight.ts';
import { watchOverload } from './admission/overload.ts';
import { limitByAddress, openAuthFailureLimiter, rememberOverRate } from './admission/rate-limit.ts';
import { briefSource, openBriefLookup } from './cache/brief-lookup.ts';
import { openArrivals } from './cache/listen.ts';
import { noteForwarded, observeAnswers, unavailableLog } from './http/log-lines.ts';

/** The part of a process's context that the API needs. The API does not close it. */
export type ApiContext = Pick<Context, 'config' | 'log' | 'db' | 'creditsRedis' | 'now'> & {
  readonly forms?: readonly FormModule[];
  readonly meters?: CallMeters;
  /** Replaced by tests. */
  readonly accessLog?: Logger;
};

const MAX_CONNECTIONS = 4_096;

/** What the API needs to answer, opened once at start. */
export type Api = Readonly<Awaited<ReturnType<typeof openApi>>>;

/** Opens what the API needs. {@link closeApi} closes it. */
export async function openApi(context: ApiContext) {
  const { config, log, creditsRedis: redis, now, forms = FORMS, meters = NO_METERS } = context;
  const { accessLog = createAccessLog(config.logLevel) } = context;
  await ensureAccountIndexes(context.db);
  const db = limitedReads(context.db);
  const keys = redisKeys(config.creditsTag);
  const { limits } = config;
  const rateLimit =
    limits.callsPerSecond === 0 ? undefined : { perSecond: limits.callsPerSecond, burst: limits.burst };
  const openCalls = trackOpenCalls(redis, keys);
  await openCalls.start();
  const wallet = openWallet(redis, keys, { rateLimit, openCalls, ...config.exposure });
  const accounts = rememberAccounts({ db, now });
  const store = await keyStoreOf({ ...context, db });
  const source = briefSource(db, now);
  const maxBytes = config.briefCacheMb * 1_048_576;
  const sandbox = openSandbox(context.db);
  const overload = watchOverload({ maxInFlight: limits.inFlight, maxDelayMs: limits.loopDelayMs });
  const briefs = await openBriefLookup(redis, keys.currentBriefs, { source, maxBytes });
  const arrivals = await openArrivals(db, redis, keys.events).catch((error: unknown) => {
    briefs.close();
    throw error;
  });
  return {
    db,
    log,
    logUnavailable: unavailableLog(log),
    meters,
    observe: observeAnswers(config.accessLog, { log: accessLog, meters }),
    siteUrl: config.siteUrl,
    /** As set: the guide names them. */
    limits,
    /** Below this balance answers say so. */
    creditsLow: config.creditsLow,
    topUp: config.topUp,
    termsLink: config.termsLink,
    supportContact: config.supportContact,
    /** The forms that are carried. */
    forms,
    /** From where the agent tools may be called. */
    access: accessOf(config),
    readCredential: credentialReader(store.pepper),
    accounts,
    wallet,
    gate: openGate({ store, wallet, accounts }),
    /** Charges whose answer is on its way. */
    openCalls,
    voids: startVoids({ store, wallet }, (call) =>
      log.error({ attemptId: call.attemptId }, 'charge not voided'),
    ),
    briefs,
    /** Wakes the calls that wait for events. */
    arrivals,
    held: countHeld(limits.waitingPerOrganization),
    /** What test keys read instead of `db` and `briefs`. */
    sandbox: { ready: once(async () => limitedReads(await sandbox.ready())) },
    /** How often an organisation may call; undefined for unlimited. */
    rateLimit,
    overRate: rememberOverRate(),
    inFlight: countInFlight(limits.inFlightPerKey),
    turns: openTurns({ perOrganization: limits.atWorkPerOrganization, all: limits.atWork }),
    authFailures: openAuthFailureLimiter(limits.failedAuthPerMinute, config.trustProxy, overload),
    limitByAddress: limitByAddress(limits, config.trustProxy, overload),
    refuseUpload: limitUploads(MAX_UPLOADS, config.trustProxy),
    overload,
    /** For making keys and granting credits; also the clock. */
    store,
    signUp: config.signUp,
    connections: { perAddress: limits.connectionsPerAddress, all: MAX_CONNECTIONS },
    noteForwarded: noteForwarded(log, config.trustProxy),
    /** Proxies in front of the API whose X-Forwarded-For is trusted. */
    trustProxy: config.trustProxy,
  };
}

export async function closeApi(api: Api): Promise<void> {
  api.overload.close();
  api.arrivals.close();
  api.briefs.close();
  // What is not reported is voided later, in favour of the client.
  await api.openCalls.close().catch((error) => api.logUnavailable(error));
}

/** The reads of a collection, and where each takes its options. */
const READS = { find: 1, findOne: 1, aggregate: 1, countDocuments: 1, distinct: 2 } as const;

/** A little less than the deadline of a call, so that the database stops before the client is answered. */
const READ_MS = 2_500;

/**
 * The database with a time limit on every read that names none: MongoDB stops the read then. Without it a read
 * goes on after its caller got 503. The option `timeoutMS` of a client would say the same, but this release
 * of the driver ignores it.
 */
function limitedReads(db: Db): Db {
  const collection: Db['collection'] = (name, options) => limited(db.collection(name, options)) as never;
  return Object.assign(Object.create(db) as Db, { collection });
}

function limited(collection: Collection): Collection {
  const reads = Object.entries(READS).map(([name, at]) => {
    const read = collection[name as keyof typeof READS] as (...args: unknown[]) => unknown;
    const limitedRead = (...args: unknown[]): unknown => {
      const given = [...args, ...Array<undefined>(Math.max(0, at - args.length))];
      given[at] = { maxTimeMS: READ_MS, ...(args[at] as object | undefined) };
      return Reflect.apply(read, collection, given);
    };
    return [name, limitedRead] as const;
  });
  return Object.assign(Object.create(collection) as Collection, Object.fromEntries(reads));
}
