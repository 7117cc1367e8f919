import { createServer, type Server } from 'node:http';
import type { Express } from 'express';
import { refuseOverload } from './admission/overload.ts';
import type { Api } from './api.ts';
import { answerBroken, MAX_HEADER_BYTES, MAX_URL_BYTES, refuseOversize } from './http/limits.ts';
import { refuseExpectation, refuseHostless } from './http/protocol.ts';
import { answerHot } from './metering/hot-path.ts';

/**
 * The HTTP server with its time and size limits (rule 11.4): Node's own wait minutes for a
 * slow sender and accept any number of connections. Behind a balancer, its idle time must be the
 * shorter one.
 */
export function createApiServer(api: Api, app: Express): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      // Node would answer in its own words; refuseHostless does in ours.
      requireHostHeader: false,
      // The parser's one limit is for the request line and the headers together.
      maxHeaderSize: MAX_HEADER_BYTES + MAX_URL_BYTES,
    },
    (req, res) => {
      if (refuseOverload(api.overload, req, res)) return;
      if (refuseOversize(req, res) || refuseHostless(req, res) || api.refuseUpload(req, res)) return;
      if (answerHot(api, req, res, () => app(req, res))) return;
      app(req, res);
    },
  );
  // Nothing read or written for so long: a reader that stopped does not hold its answer in memory.
  server.timeout = 30_000;
  server.maxConnections = 4_096;
  server.on('clientError', answerBroken);
  server.on('checkExpectation', refuseExpectation);
  return server;
}
