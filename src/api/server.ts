import { createServer, type Server } from 'node:http';
import type { Express } from 'express';
import { refuseOverload } from './admission/overload.ts';
import {
  answerBroken,
  MAX_HEADER_BYTES,
  MAX_URL_BYTES,
  refuseExpectation,
  refuseHostless,
  refuseOversize,
} from './http/limits.ts';
import { answerHot } from './metering/hot-path.ts';
import type { Api } from './open.ts';

/**
 * The HTTP server with its time and size limits (rule 11.4). The defaults of Node wait minutes for a
 * slow sender and accept any number of connections. A balancer in front needs a shorter idle time.
 */
export function createApiServer(api: Api, app: Express): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
      // refuseHostless answers in our error format instead.
      requireHostHeader: false,
      // The parser has one limit for the request line and the headers together.
      maxHeaderSize: MAX_HEADER_BYTES + MAX_URL_BYTES,
    },
    (req, res) => {
      if (refuseOverload(api.overload, req, res)) return;
      if (refuseOversize(req, res) || refuseHostless(req, res) || api.refuseUpload(req, res)) return;
      if (answerHot(api, req, res, () => app(req, res))) return;
      app(req, res);
    },
  );
  // After this time without a read or write: a stopped reader must not keep its answer in memory.
  server.timeout = 30_000;
  server.maxConnections = 4_096;
  server.on('clientError', answerBroken);
  server.on('checkExpectation', refuseExpectation);
  return server;
}
