/** One of the three servers of `brief.ts`, in its own process. Sends its port, then its usage for each message. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { MongoClient } from 'mongodb';
import { loadConfig } from '../src/config.ts';
import { createLogger } from '../src/log.ts';
import { openCreditsRedis } from '../src/redis.ts';
import { startApi } from '../src/serve.ts';
import { briefBytes, PATH } from './brief-bytes.ts';

let mongoCommands = 0;

const starts: Record<string, () => Promise<number>> = {
  async tidemark() {
    const config = loadConfig();
    const client = new MongoClient(config.mongoUrl ?? '', { useBigInt64: true, monitorCommands: true });
    client.on('commandStarted', () => {
      mongoCommands += 1;
    });
    const creditsRedis = openCreditsRedis(config.creditsRedisUrl ?? '');
    await creditsRedis.connect();
    const log = createLogger('silent', 'bench');
    return (
      await startApi({ config, log, db: client.db(config.mongoDb), creditsRedis, now: () => new Date() })
    ).port;
  },
  /** Express at its fastest: no etag, no x-powered-by, one writeHead and one end. */
  async express() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    const { body, headers } = answer();
    app.get(PATH, (_req, res) => {
      res.writeHead(200, headers);
      res.end(body);
    });
    return listen(app);
  },
  async 'node:http'() {
    const { body, headers } = answer();
    return listen((_req, res) => {
      res.writeHead(200, headers);
      res.end(body);
    });
  },
};

function answer(): { body: Buffer; headers: Record<string, string> } {
  const body = briefBytes();
  const length = String(body.byteLength);
  return { body, headers: { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': length } };
}

function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system, mongoCommands });
});
process.on('disconnect', () => process.exit(0));
process.send?.(await starts[process.argv[2] ?? '']?.());
