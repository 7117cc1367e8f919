import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { sha256Hex } from '../../src/domain/canonical.ts';
import type { IsoDate } from '../../src/domain/ids.ts';
import { AppError, UsageError } from '../../src/errors.ts';
import type { Logger } from '../../src/log.ts';
import { type LocalAnswer, NOT_ALLOWED, UNDECLARED } from './answers.ts';
import { type FaultPlan, openFaults, requestKind } from './faults.ts';
import { misbehave } from './misbehave.ts';
import { countRequests } from './requests.ts';
import { answerLocally, type LocalState } from './routes.ts';
import { type ServedFolder, scanFolder } from './scan.ts';

export type LocalEdgarOptions = {
  readonly dir: string;
  /** 0 takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** Filings filed after it do not exist: not in the feed, the index or the archive. */
  readonly asOf?: IsoDate | null;
  /** The folder is all that was ever filed: only a made-up one can be. */
  readonly isWhole?: boolean;
  /** What goes wrong, and how often; nothing without it. */
  readonly faults?: FaultPlan | undefined;
  readonly log?: Logger;
  readonly now?: () => Date;
};

export type LocalEdgar = Awaited<ReturnType<typeof serveLocalEdgar>>;

/**
 * A local EDGAR over any folder of full submissions: the Atom feed, the daily index, the archive,
 * company tickers and fails files, in the SEC's own shapes. Throws a {@link UsageError} when the
 * folder cannot be read or the port is taken.
 */
export async function serveLocalEdgar(options: LocalEdgarOptions) {
  const host = options.host ?? '127.0.0.1';
  const faults = openFaults(options.faults);
  const requests = countRequests(options.now ?? (() => new Date()));
  let folder = await load(options);
  const server = createServer((request, response) => {
    respond(request, response, { folder, faults, requests }).catch((error: unknown) => {
      options.log?.debug({ err: error, url: request.url }, 'the local EDGAR could not answer');
      response.destroy();
    });
  });
  const port = await listen(server, options.port ?? 0, host);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    /** What is served now. */
    folder: () => folder,
    /** Requests so far, by kind and by second, and the faults that were shown. */
    requests: requests.counts,
    /** Reads the folder again: files added meanwhile appear. */
    rescan: async (): Promise<void> => {
      folder = await load(options);
    },
    close: () => close(server),
  };
}

async function load({ dir, asOf = null, isWhole = false, log }: LocalEdgarOptions): Promise<ServedFolder> {
  const isFolder = await stat(dir).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`not a folder that can be read: ${dir}`);
  const all = await scanFolder(dir);
  for (const warning of all.warnings) log?.warn(warning);
  const filings = all.filings.filter((filing) => asOf === null || filing.filedDate <= asOf);
  return { ...all, filings, isSelection: !isWhole };
}

async function respond(request: IncomingMessage, response: ServerResponse, state: LocalState): Promise<void> {
  const asked = request.url ?? '';
  // The root has no answer, like a path that is none.
  const url = new URL(URL.canParse(asked, 'http://local') ? asked : '/', 'http://local');
  const kind = requestKind(url.pathname);
  state.requests.note(kind);
  const refused = refusal(request);
  const fault = refused === null ? state.faults.ofRequest(`${url.pathname}${url.search}`, kind) : null;
  const what = refused ?? answerLocally(url, state);
  if (fault === null) return send(request, response, what);
  state.requests.noteFault(fault);
  return misbehave(response, fault, what);
}

function refusal(request: IncomingMessage): LocalAnswer | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return NOT_ALLOWED;
  return (request.headers['user-agent'] ?? '').trim() === '' ? UNDECLARED : null;
}

async function send(request: IncomingMessage, response: ServerResponse, what: LocalAnswer): Promise<void> {
  const length = 'file' in what ? (await stat(what.file)).size : Buffer.byteLength(what.text, 'latin1');
  const tag = tagOf(what);
  const headers = { 'content-type': what.type, 'content-length': length, ...(tag && { etag: tag }) };
  if (tag !== null && request.headers['if-none-match'] === tag) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(what.status, headers);
  if (request.method === 'HEAD') response.end();
  else if ('file' in what) await pipeline(createReadStream(what.file), response);
  else response.end(what.text, 'latin1');
}

/** Of a listing that is there; the feed and the indexes are what is asked for over and over. */
function tagOf(what: LocalAnswer): string | null {
  if ('file' in what || what.status !== 200) return null;
  return `"${sha256Hex(Buffer.from(what.text, 'latin1'))}"`;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      reject(
        taken
          ? new UsageError(`port ${port} is in use: choose another for the local EDGAR`)
          : new AppError('local_edgar_failed', `the local EDGAR cannot listen on ${host}:${port}`, { cause }),
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
