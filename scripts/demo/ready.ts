import { connect } from 'node:net';
import { UsageError } from '../../src/errors.ts';
import { waitUntil } from '../services/probe.ts';

type Address = { readonly host: string; readonly port: number };

const LIMIT_MS = 60_000;

/** Returns once something listens there. */
export async function listening(what: string, at: Address): Promise<void> {
  if (await waitUntil(() => accepts(at), LIMIT_MS)) return;
  throw new UsageError(`${what} does not listen on port ${at.port} after ${LIMIT_MS / 1_000} s`);
}

function accepts(at: Address): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(at);
    const done = (open: boolean) => (): void => {
      socket.destroy();
      settle(open);
    };
    socket.once('connect', done(true));
    socket.once('error', done(false));
    socket.setTimeout(1_000, done(false));
  });
}
