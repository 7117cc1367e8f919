import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Redis } from 'ioredis';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { QUEUES } from '../queues/index.ts';
import type { QueueSpec } from '../queues/queue.ts';
import type { Config } from '../src/config.ts';
import { AppError } from '../src/errors.ts';
import { connectReady, openQueueRedis } from '../src/redis.ts';
import { type BoardContext, openFacts } from './facts.ts';
import { prometheusText } from './metrics.ts';
import { operatorsPage } from './page.ts';

export type Board = Awaited<ReturnType<typeof startBoard>>;

/**
 * What operators see, on a port of its own and behind a password: Bull Board over every queue, `/operators` and
 * `/metrics`. Read-only is enforced by the server, not by hidden buttons. Throws `port_in_use`,
 * `redis_unreachable` or `redis_may_evict`, with nothing left open.
 */
export async function startBoard(
  context: BoardContext,
  queueRedisUrl: string,
  options: { readonly writable: boolean; readonly password: string },
) {
  const { config } = context;
  const connection = await connectReady(openQueueRedis(queueRedisUrl, config.queuePrefix), 'queue', {
    isProduction: config.isProduction,
  });
  const queues = openQueues(connection, config.queuePrefix);
  const closeQueues = async (): Promise<void> => {
    await Promise.all(queues.map(([queue]) => queue.close()));
    connection.disconnect();
  };
  try {
    const facts = openFacts(
      context,
      queues.map(([queue]) => queue),
      connection,
    );
    const app = express().disable('x-powered-by');
    app.use(contentPolicy(), onlyOperators(config.boardUser, options.password));
    app.get('/operators', async (_request, response) => {
      response
        .set('Cache-Control', 'no-store')
        .type('html')
        .send(operatorsPage(await facts()));
    });
    app.get('/metrics', async (_request, response) => {
      response.type('text/plain; version=0.0.4').send(await prometheusText(context.db, facts));
    });
    app.use(withoutOtherSites, pagesOf(queues, options.writable).disable('x-powered-by'));
    app.use(unavailable);
    const server = await listen(app, config);
    const close = async (): Promise<void> => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await closeQueues();
    };
    return { port: (server.address() as AddressInfo).port, close };
  } catch (error) {
    await closeQueues();
    throw error;
  }
}

const OTHER_SITE = /<link href="https:[^"]*" rel="stylesheet">/g;

/** Bull Board's page asks another site for fonts: the policy refuses that, with a red line in the console. */
const withoutOtherSites: RequestHandler = (_request, response, next) => {
  const { send } = response;
  response.send = (body) =>
    send.call(response, typeof body === 'string' ? body.replaceAll(OTHER_SITE, '') : body);
  next();
};

/** A service that is away: Bull Board answers for the queues itself. */
const unavailable: ErrorRequestHandler = (_error, _request, response, _next) => {
  response.status(503).type('text/plain').send('A service does not answer: see tidemark status.\n');
};

type Described = readonly [queue: Queue, about: string];

function openQueues(connection: Redis, prefix: string): readonly Described[] {
  return Object.values(QUEUES).map((spec) => {
    const queue = new Queue(spec.name, { connection, prefix: `{${prefix}}` });
    // BullMQ prints what nobody listens to; a page that cannot be filled says so itself.
    queue.on('error', () => undefined);
    return [queue, descriptionOf(spec)];
  });
}

/** What a queue is for, when it gets work, and why it may be empty. */
function descriptionOf({
  about,
  schedule,
  priority,
  attempts,
}: Pick<QueueSpec<unknown>, 'about' | 'schedule' | 'attempts'> & { readonly priority: unknown }): string {
  const times = schedule.map(({ cron }) => cron).join(' and ');
  return [
    about,
    ...(times === '' ? [] : [`Enqueued at ${times} (with seconds, New York time).`]),
    priority === null
      ? 'Empty between two runs by design.'
      : 'Empty by design when nothing is pending: MongoDB holds the backlog, and dispatch enqueues some hundred of it.',
    `Up to ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}. The last 200 completed and failed jobs of a day are shown.`,
  ].join(' ');
}

function pagesOf(queues: readonly Described[], writable: boolean): Express {
  const adapter = new ExpressAdapter();
  adapter.setBasePath('/');
  createBullBoard({
    queues: queues.map(
      ([queue, description]) => new BullMQAdapter(queue, { readOnlyMode: !writable, description }),
    ),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Tidemark', miscLinks: [{ text: 'Operators', url: '/operators' }] } },
  });
  return adapter.getRouter();
}

/** Everything from here. */
function contentPolicy(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
  });
}

const MAX_FAILURES_A_MINUTE = 10;

function onlyOperators(user: string, password: string): RequestHandler {
  const expected = digest(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  const failures = new RateLimiterMemory({ points: MAX_FAILURES_A_MINUTE, duration: 60 });
  const isLimited = async (address: string): Promise<boolean> =>
    ((await failures.get(address))?.remainingPoints ?? 1) <= 0;
  const isGuessTooMany = (address: string): Promise<boolean> =>
    failures.consume(address).then(
      () => false,
      () => true,
    );
  return async (request, response, next) => {
    const address = request.socket.remoteAddress ?? '';
    const { authorization } = request.headers;
    const isRight = timingSafeEqual(digest(authorization ?? ''), expected) && isSameOrigin(request.headers);
    // A wrong one counts before anything is awaited, so that guesses sent together do not all pass.
    // A browser asks once without a password; that is no guess.
    const isFull = isRight || authorization === undefined ? isLimited(address) : isGuessTooMany(address);
    if (await isFull) {
      response.status(429).set('Retry-After', '60').type('text/plain');
      return void response.send('Too many wrong passwords. Try again in a minute.\n');
    }
    if (isRight) return next();
    response.status(401).set('WWW-Authenticate', 'Basic realm="tidemark operators", charset="UTF-8"');
    response.type('text/plain').send('Operators only.\n');
  };
}

/** A browser sends the password with any page's request; only our own pages may use it to write. */
function isSameOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function listen(app: Express, config: Config): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = app.listen(config.boardPort, config.boardHost, (error?: Error) => {
      if (error === undefined) return resolve(server);
      const busy = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      const hint = busy
        ? `Port ${config.boardPort} is in use: set BOARD_PORT to another one.`
        : error.message;
      reject(new AppError(busy ? 'port_in_use' : 'listen_failed', hint, { cause: error }));
    });
  });
}
