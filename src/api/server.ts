import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Express } from 'express';
import { watchConnections } from './admission/connections.ts';
import { refuseOverload } from './admission/overload.ts';
import { type AnnouncedResponse, announcedBy } from './http/given.ts';
import {
  answerBroken,
  HEADERS_MS,
  KEPT_IDLE_MS,
  MAX_HEADER_BYTES,
  MAX_URL_BYTES,
  REQUEST_MS,
  refuseExpectation,
  refuseOversize,
  refuseUnclear,
} from './http/limits.ts';
import { answerHot } from './metering/hot-path.ts';
import type { Api } from './open.ts';

/**
 * The HTTP server with its limits of time, size and number (rule 11.4). The defaults of Node wait minutes
 * for a slow sender, never end a slow reader and accept any number of connections. A balancer in front
 * needs a shorter idle time.
 */
export function createApiServer(api: Api, app: Express): Server {
  const connections = watchConnections({ ...api.connections, hops: api.trustProxy });
  const answer = (req: IncomingMessage, res: AnnouncedResponse): void => {
    if (refuseOverload(api.overload, req, res)) return;
    if (refuseOversize(req, res) || refuseUnclear(req, res) || api.refuseUpload(req, res)) return;
    const answerFully = (): void => app(req, res);
    if (!answerHot(api, req, res, answerFully)) answerFully();
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEPT_IDLE_MS,
      connectionsCheckingInterval: 5_000,
      // refuseUnclear answers in our error format instead.
      requireHostHeader: false,
      // The parser has one limit for the request line and the headers together.
      maxHeaderSize: MAX_HEADER_BYTES + MAX_URL_BYTES,
      ServerResponse: announcedBy(api),
    },
    (req, res) => {
      api.noteForwarded(req);
      api.observe(req, res);
      connections.receive(req, res, () => answer(req, res));
    },
  );
  // A client that has ended its own half still reads (RFC 9112 9.6). Node knows the property, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', connections.accept);
  server.on('close', connections.close);
  server.on('clientError', answerBroken(api.siteUrl));
  server.on('checkExpectation', refuseExpectation);
  return server;
}
