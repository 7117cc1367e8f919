import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type IsoDate, isIsoDate } from './domain/ids.ts';
import { UsageError } from './errors.ts';
import { parseClusterUrl } from './redis-cluster.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const day = z.custom<IsoDate>(
  (value) => typeof value === 'string' && isIsoDate(value),
  'Invalid input: expected a calendar day, YYYY-MM-DD',
);
const optionalUrl = z.url().optional();
const redisUrl = z
  .string()
  .refine((url) => URL.canParse(url) || parseClusterUrl(url) !== null, 'Invalid URL')
  .optional();

const HOST_NAME = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

const text = (pattern: RegExp) => z.string().regex(pattern);

/** Items separated by commas. Blanks around them are ignored. */
function list(item: z.ZodString | z.ZodURL) {
  return z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item))
    .readonly();
}

const variables = z.object({
  /** In production what is fit only for one machine and a try is refused. */
  TIDEMARK_ENV: z.enum(['development', 'production']).default('development'),
  TIDEMARK_HOME: z.string().min(1).default('.tidemark'),
  MONGO_URL: optionalUrl,
  CREDITS_REDIS_URL: redisUrl,
  QUEUE_REDIS_URL: redisUrl,
  MONGO_DB: text(/^[A-Za-z0-9_-]{1,38}$/).default('tidemark'),
  QUEUE_PREFIX: text(/^[a-z0-9-]{1,32}$/).default('tidemark'),
  /** Hash tag of every credits key in Redis. */
  CREDITS_TAG: text(/^[a-z0-9-]{1,40}$/).default('cr'),
  PORT: port.default(8080),
  BOARD_HOST: z.string().default('127.0.0.1'),
  BOARD_PORT: port.default(8081),
  HOST: z.string().default('127.0.0.1'),
  SITE_URL: z.url().optional(),
  /** More names of the service, for agent tools and account pages; more sites whose pages may call the tools. */
  ALLOWED_HOSTS: list(z.string().regex(HOST_NAME)),
  ALLOWED_ORIGINS: list(z.url({ protocol: /^https?$/ })),
  BOARD_USER: z.string().min(1).default('operator'),
  BOARD_PASSWORD: z.string().min(16).optional(),
  KEY_PEPPER: z.string().min(16).optional(),
  /** Calls of one organisation over all processes: sustained rate (0: unlimited), and at once after a pause. */
  RATE_LIMIT_PER_SECOND: z.coerce.number().int().min(0).max(100_000).default(100),
  RATE_LIMIT_BURST: z.coerce.number().int().min(1).max(100_000).default(500),
  /** Calls in progress in one process: of one key, and of all clients. */
  MAX_IN_FLIGHT_PER_KEY: z.coerce.number().int().min(1).max(100_000).default(256),
  MAX_IN_FLIGHT: z.coerce.number().int().min(1).max(100_000).default(1_000),
  /** Of those in one process, the calls whose work is done at the same time: of one organisation, and of all. */
  MAX_AT_WORK_PER_ORGANIZATION: z.coerce.number().int().min(1).max(100_000).default(8),
  MAX_AT_WORK: z.coerce.number().int().min(1).max(100_000).default(32),
  /** Calls of one organisation that wait for events; an address may have four times as many. */
  MAX_WAITING_PER_ORGANIZATION: z.coerce.number().int().min(1).max(100_000).default(64),
  /** Connections of one address block, beyond which idle ones are ended. */
  MAX_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(1).max(100_000).default(64),
  /** Delay of the event loop above which new requests get 503; 0 switches the check off. */
  SHED_LOOP_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(100),
  /** What one address asks without a key: sustained (0: unlimited), and at once after a pause. */
  PAGES_PER_SECOND: z.coerce.number().int().min(0).max(1_000_000).default(5),
  PAGES_BURST: z.coerce.number().int().min(1).max(1_000_000).default(10),
  /** Proxies in front of the API whose X-Forwarded-For is trusted. */
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).default(0),
  /** Failed authentications of one address; 0: unlimited. */
  FAILED_AUTH_PER_MINUTE: z.coerce.number().int().min(0).max(1_000_000).default(60),
  /** Who may create an organisation at /connect, and the credits that it gets once. */
  SIGNUP: z.enum(['open', 'invite', 'closed']).default('open'),
  /** Each code may be used any number of times. */
  INVITE_CODES: list(z.string().min(8)),
  SIGNUP_CREDITS: z.coerce.number().int().min(0).max(1_000_000).default(1_000),
  /** Free credits of all new organisations together in 24 hours; those beyond them begin with none. */
  SIGNUP_CREDITS_PER_DAY: z.coerce.number().int().min(0).max(1_000_000_000).default(100_000),
  /** Balance below which answers say that it is low; 0: never. */
  CREDITS_LOW: z.coerce.number().int().min(0).max(1_000_000).default(100),
  /** What the operator says at /connect about getting credits, and where. */
  TOPUP_TEXT: z.string().max(500).optional(),
  TOPUP_LINK: optionalUrl,
  /** The operator's own terms, named at /terms. */
  TERMS_LINK: z.url({ protocol: /^https?$/ }).optional(),
  /** An e-mail address or a URL, for users (footer, 402) and for reports of weaknesses. */
  SUPPORT_CONTACT: z.union([z.email(), z.url({ protocol: /^https$/ })]).optional(),
  /** Credits that are charged and not yet in MongoDB: of one organisation, and of all. 0: no maximum. */
  CREDITS_EXPOSURE_PER_ORG: z.coerce.number().int().min(0).max(1_000_000_000).default(2_000),
  CREDITS_EXPOSURE_TOTAL: z.coerce.number().int().min(0).max(1_000_000_000).default(50_000),
  EDGAR_URL: z.url().default('https://www.sec.gov'),
  EDGAR_USER_AGENT: z.string().min(5).optional(),
  EDGAR_REQUESTS_PER_SECOND: z.coerce.number().min(0.1).max(10_000).default(5),
  /** Of an EDGAR on a loopback address, which needs neither limit: for tests of politeness. */
  EDGAR_LOCAL_REQUESTS_PER_SECOND: z.coerce.number().min(0.1).max(10_000).default(2_000),
  EDGAR_LOCAL_BLOCK_SECONDS: z.coerce.number().min(0.1).max(3_600).default(600),
  BACKFILL_FROM: day.optional(),
  TIDEMARK_AS_OF: day.optional(),
  /** Memory of one API process for briefs. */
  BRIEF_CACHE_MB: z.coerce.number().int().min(1).max(65_536).default(256),
  BRIEF_DEBOUNCE_MS: z.coerce.number().int().min(0).max(3_600_000).default(30_000),
  /** The API key with which the command line calls a server. */
  TIDEMARK_KEY: z.string().optional(),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  ACCESS_LOG: z.enum(['calls', 'all', 'off']).default('calls'),
  DOCKER: z.enum(['auto', 'always', 'never']).default('auto'),
  EMBEDDED_ENGINE: z.enum(['auto', 'python', 'rust']).default('auto'),
});
const environment = variables.refine((e) => e.SIGNUP_CREDITS <= e.SIGNUP_CREDITS_PER_DAY, {
  error: 'SIGNUP_CREDITS must be at most SIGNUP_CREDITS_PER_DAY',
});

export type Config = ReturnType<typeof configOf>;

/**
 * The only reader of the environment. Throws a {@link UsageError} that lists every problem in one line.
 * An empty variable counts as absent, so a line `PORT=` in an env file means the default.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
    throw new UsageError(`The settings are not valid: ${problems.join('; ')}`);
  }
  return configOf(parsed.data);
}

function configOf(e: z.infer<typeof environment>) {
  return Object.freeze({
    isProduction: e.TIDEMARK_ENV === 'production',
    home: resolve(e.TIDEMARK_HOME),
    mongoUrl: e.MONGO_URL,
    creditsRedisUrl: e.CREDITS_REDIS_URL,
    queueRedisUrl: e.QUEUE_REDIS_URL,
    mongoDb: e.MONGO_DB,
    queuePrefix: e.QUEUE_PREFIX,
    creditsTag: e.CREDITS_TAG,
    port: e.PORT,
    boardHost: e.BOARD_HOST,
    boardPort: e.BOARD_PORT,
    host: e.HOST,
    siteUrl: (e.SITE_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ''),
    allowedHosts: e.ALLOWED_HOSTS,
    allowedOrigins: e.ALLOWED_ORIGINS,
    boardUser: e.BOARD_USER,
    boardPassword: e.BOARD_PASSWORD,
    keyPepper: e.KEY_PEPPER,
    trustProxy: e.TRUST_PROXY,
    limits: Object.freeze({
      callsPerSecond: e.RATE_LIMIT_PER_SECOND,
      burst: e.RATE_LIMIT_BURST,
      inFlightPerKey: e.MAX_IN_FLIGHT_PER_KEY,
      inFlight: e.MAX_IN_FLIGHT,
      atWorkPerOrganization: e.MAX_AT_WORK_PER_ORGANIZATION,
      atWork: e.MAX_AT_WORK,
      waitingPerOrganization: e.MAX_WAITING_PER_ORGANIZATION,
      connectionsPerAddress: e.MAX_CONNECTIONS_PER_ADDRESS,
      loopDelayMs: e.SHED_LOOP_DELAY_MS,
      failedAuthPerMinute: e.FAILED_AUTH_PER_MINUTE,
      pagesPerSecond: e.PAGES_PER_SECOND,
      pagesBurst: e.PAGES_BURST,
    }),
    signUp: Object.freeze({
      ...{ mode: e.SIGNUP, inviteCodes: e.INVITE_CODES },
      ...{ credits: e.SIGNUP_CREDITS, creditsPerDay: e.SIGNUP_CREDITS_PER_DAY },
    }),
    creditsLow: e.CREDITS_LOW,
    topUp: Object.freeze({ text: e.TOPUP_TEXT, link: e.TOPUP_LINK }),
    termsLink: e.TERMS_LINK,
    supportContact: e.SUPPORT_CONTACT,
    exposure: Object.freeze({
      exposureCap: e.CREDITS_EXPOSURE_PER_ORG,
      totalExposureCap: e.CREDITS_EXPOSURE_TOTAL,
    }),
    edgarUrl: e.EDGAR_URL.replace(/\/+$/, ''),
    edgarUserAgent: e.EDGAR_USER_AGENT,
    edgarRequestsPerSecond: e.EDGAR_REQUESTS_PER_SECOND,
    edgarLocal: Object.freeze({
      requestsPerSecond: e.EDGAR_LOCAL_REQUESTS_PER_SECOND,
      blockSeconds: e.EDGAR_LOCAL_BLOCK_SECONDS,
    }),
    backfillFrom: e.BACKFILL_FROM,
    asOf: e.TIDEMARK_AS_OF,
    briefCacheMb: e.BRIEF_CACHE_MB,
    briefDebounceMs: e.BRIEF_DEBOUNCE_MS,
    apiKey: e.TIDEMARK_KEY,
    logLevel: e.LOG_LEVEL,
    accessLog: e.ACCESS_LOG,
    docker: e.DOCKER,
    engine: e.EMBEDDED_ENGINE,
  });
}

/**
 * Throws a {@link UsageError} when a secret is missing that the API (and what makes its keys), or the operators' port,
 * uses. No other process has it, or asks for it.
 */
export function requireSecrets(
  { isProduction, keyPepper, boardPassword, signUp }: Config,
  of: 'api' | 'board',
): void {
  const [name, secret] = of === 'api' ? ['KEY_PEPPER', keyPepper] : ['BOARD_PASSWORD', boardPassword];
  if (isProduction && secret === undefined) throw new UsageError(`TIDEMARK_ENV=production needs ${name}`);
  if (of === 'api' && signUp.mode === 'invite' && signUp.inviteCodes.length === 0) {
    throw new UsageError('SIGNUP=invite needs INVITE_CODES');
  }
}

type ServiceUrls = Readonly<Record<'mongoUrl' | 'creditsRedisUrl' | 'queueRedisUrl', string>>;

/** The environment of this process for another one that is to use the same services. */
export function environmentWith(services: ServiceUrls): NodeJS.ProcessEnv {
  const {
    mongoUrl: MONGO_URL,
    creditsRedisUrl: CREDITS_REDIS_URL,
    queueRedisUrl: QUEUE_REDIS_URL,
  } = services;
  return environmentPlus({ MONGO_URL, CREDITS_REDIS_URL, QUEUE_REDIS_URL });
}

/** The environment of this process with more variables, for one that it starts. */
export function environmentPlus(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, ...more };
}

/** A random secret for a setting that is not set: 32 hex characters. */
export function generatedSecret(): string {
  return randomBytes(16).toString('hex');
}
