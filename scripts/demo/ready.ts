import { connect } from 'node:net';
import { UsageError } from '../../src/errors.ts';
import { waitUntil } from '../services/probe.ts';

const LIMIT_MS = 60_000;

/** Returns once something listens there. */
export async function listening(what: string, port: number): Promise<void> {
  if (await waitUntil(() => accepts(port), LIMIT_MS)) return;
  throw new UsageError(`${what} does not listen on port ${port} after ${LIMIT_MS / 1_000} s`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect({ host: '127.0.0.1', port });
    const done = (open: boolean) => (): void => {
      socket.destroy();
      settle(open);
    };
    socket.once('connect', done(true));
    socket.once('error', done(false));
    socket.setTimeout(1_000, done(false));
  });
}
