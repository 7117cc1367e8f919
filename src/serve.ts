import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, type Mount } from './api/app.ts';
import { warmSearch } from './api/cache/search-memory.ts';
import { addDocument } from './api/endpoint/free-route.ts';
import { mountMcp } from './api/mcp/serve.ts';
import { withDeadline } from './api/metering/with-deadline.ts';
import { type Api, type ApiContext, closeApi, openApi } from './api/open.ts';
import { openApiDocument } from './api/openapi/document.ts';
import { createApiServer } from './api/server.ts';
import { mountConnect } from './connect/mount.ts';
import { keepRevocations, reconcileRevocations } from './credits/account/key-record.ts';
import { finishVouchers } from './credits/account/voucher.ts';
import { startDrainer } from './credits/ledger/drainer.ts';
import { creditStoreOf } from './credits/store.ts';
import { AppError } from './errors.ts';
import { requireNoEviction } from './redis.ts';
import { mountBriefs } from './site/brief/mount.ts';
import { mountDocs } from './site/docs/mount.ts';
import { mountMissing, mountSite } from './site/mount.ts';
import { mountStatus } from './site/status/mount.ts';

/** `/openapi.json`: free, without a key, for every origin, with an entity tag. */
const mountOpenApi: Mount = (app, api) => {
  addDocument(app, '/openapi.json', () => openApiDocument(api.siteUrl));
};

export type RunningApi = Awaited<ReturnType<typeof startApi>>;

/** The routes besides the endpoints. The last one answers what no other does. */
const MOUNTS: readonly Mount[] = [
  mountMcp,
  mountOpenApi,
  mountSite,
  mountBriefs,
  mountDocs,
  mountConnect,
  mountStatus,
  mountMissing,
];

const GRACE_MS = 10_000;
/** For calls that are on their way when an API is stopped: an idle connection that ends under one fails it. */
const FAREWELL_MS = 500;
const SAVE_USE_MS = 60_000;

/** Starts the API on `config.host:config.port`; port 0 chooses a free one. */
export async function startApi(context: ApiContext) {
  const { config, log } = context;
  await requireNoEviction(context.creditsRedis, 'The Redis of the credits');
  const store = creditStoreOf(context);
  await Promise.all([finishVouchers(store, log), reconcileRevocations(store)]);
  const api = await openApi(context);
  const server = createApiServer(api, createApp(api, MOUNTS));
  const endSilent = silentConnections(server);
  const port = await listen(server, config.port, config.host).catch(async (error: unknown) => {
    // The subscriber would keep the process running without a server.
    await closeApi(api);
    throw error;
  });
  const saving = keepUseSaved(api);
  const stopRevocations = keepRevocations(store, api.logUnavailable);
  const drainer = startDrainer(store, log);
  log.info({ port }, 'api is listening');
  // Otherwise the first search would wait for it. If it fails here, that search tries again.
  warmSearch(api.db).catch((err) => log.debug({ err }, 'the search index was not read'));
  let closing: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    clearInterval(saving);
    stopRevocations();
    api.arrivals.close();
    await closeServer(server, endSilent);
    const left = await api.voids.drain(GRACE_MS);
    if (left > 0) log.error({ left }, 'charges without an answer were not voided');
    await withDeadline(api, () => api.accounts.saveUse());
    await closeApi(api);
    // Last: it moves what the calls and voids before it have charged.
    await withDeadline(api, () => drainer.close());
  };
  return {
    port,
    /** Before `close`, where clients have connections: each next answer on one asks to end it. Takes half a second. */
    async sayFarewell(): Promise<void> {
      server.prependListener('request', (_req, res) => {
        res.shouldKeepAlive = false;
      });
      await sleep(FAREWELL_MS);
    },
    /** Stops accepting, finishes calls in progress within ten seconds, then closes. Safe to repeat. */
    close: (): Promise<void> => {
      closing ??= close();
      return closing;
    },
  };
}

function keepUseSaved({ accounts, log }: Api): NodeJS.Timeout {
  const save = () =>
    accounts.saveUse().catch((err) => log.warn({ err }, 'the last use of keys was not saved'));
  return setInterval(save, SAVE_USE_MS).unref();
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const busy = cause.code === 'EADDRINUSE';
      const message = busy
        ? `Port ${port} is in use: set PORT to another one.`
        : `Cannot listen on ${host}:${port}: ${cause.message}`;
      reject(new AppError(busy ? 'port_in_use' : 'listen_failed', message, { cause }));
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Ends the connections on which nothing was ever sent, as browsers open them ahead: Node does not call them idle. */
function silentConnections(server: Server): () => void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  };
}

async function closeServer(server: Server, endSilent: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // `close` also waits for keep-alive connections, so they are ended when they become idle.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const grace = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  server.closeIdleConnections();
  endSilent();
  await closed;
  clearInterval(idle);
  clearTimeout(grace);
}
