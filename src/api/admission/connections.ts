import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addressBlock, clientBlock } from '../http/address.ts';
import type { AnnouncedResponse } from '../http/given.ts';
import { type Answer, type Connection, leastNeeded, move, noteBlocked, type Peer, place } from './peer.ts';

type Bounds = {
  /** Connections of an address block, beyond which a new one ends an idle one. */
  readonly perAddress: number;
  /** Connections of all, beyond which a new one ends the least needed. */
  readonly all: number;
  /** Trusted proxies in front. With any, the address is the proxy's and `perAddress` does not count. */
  readonly hops: number;
};

/** A connection that was just opened, or whose client may be about to ask again, is not ended for its address. */
const IDLE_MS = 1_000;
const SWEEP_MS = 1_000;

/** Bounds what one address can hold of the server: connections, requests and unsent answers (rule 11.4). */
export function watchConnections({ perAddress, all, hops }: Bounds) {
  const peers = new Map<string, Peer>();
  const known = new Map<Socket, Connection>();
  const pipelines = openPipelines();
  const open = (socket: Socket): Connection => {
    const connection = connectionOf(peers, socket);
    known.set(socket, connection);
    socket.once('close', () => {
      known.delete(socket);
      pipelines.close(connection);
      leave(peers, connection);
    });
    return connection;
  };
  const sweep = setInterval(() => endSlowReaders(peers.values(), performance.now()), SWEEP_MS).unref();
  return {
    /** Takes a new connection and ends an idle one of a crowded address, or of the fullest when all are taken. */
    accept(socket: Socket): void {
      const { peer } = open(socket);
      const [oldest] = peer.idle;
      const isCrowded = hops === 0 && peer.connections > perAddress;
      if (isCrowded && oldest !== undefined && performance.now() - oldest.since >= IDLE_MS) {
        oldest.socket.destroy();
      }
      if (known.size > all) leastNeeded(peers.values())?.destroy();
    },
    /** Serves a request in the turn of its connection. */
    receive(req: IncomingMessage, res: AnnouncedResponse, serve: () => void): void {
      const connection = known.get(req.socket) ?? open(req.socket);
      if (hops > 0) connection.client = clientBlock(req, hops);
      pipelines.receive(connection, res, serve);
    },
    close: () => clearInterval(sweep),
  };
}

function connectionOf(peers: Map<string, Peer>, socket: Socket): Connection {
  const block = addressBlock(socket.remoteAddress ?? '');
  const peer = peers.get(block) ?? {
    block,
    connections: 0,
    idle: new Set(),
    sending: new Set(),
    blocked: new Set(),
  };
  const state = { since: performance.now(), due: Number.POSITIVE_INFINITY, isPaused: false, isClosed: false };
  const connection: Connection = {
    socket,
    peer,
    client: block,
    answers: [],
    held: [],
    among: null,
    ...state,
  };
  peers.set(block, peer);
  peer.connections += 1;
  move(connection, peer.idle);
  return connection;
}

function leave(peers: Map<string, Peer>, connection: Connection): void {
  const { peer } = connection;
  peer.connections -= 1;
  move(connection, null);
  if (peer.connections === 0) peers.delete(peer.block);
}

/** An answer that takes longer than this is not just on its way. */
const SLOW_MS = 1_000;
/** Answers that wait for slow readers, or behind a call that waits: of one client, and of all. */
const MAX_UNSENT_PER_CLIENT = 64;
const MAX_UNSENT = 1_024;

/**
 * Ends the connections whose answer is overdue, and where too many answers wait, those that wait longest.
 * Their charges are voided, as of every answer that was not sent.
 */
export function endSlowReaders(peers: Iterable<Peer>, now: number): void {
  const sending = [...peers].flatMap((peer) => [...peer.sending, ...peer.blocked]);
  const slow = sending.filter(({ since }) => now - since >= SLOW_MS).sort((a, b) => b.since - a.since);
  const unsent = new Map<string, number>();
  let all = 0;
  for (const connection of slow) {
    const ofClient = (unsent.get(connection.client) ?? 0) + unsentIn(connection);
    const total = all + unsentIn(connection);
    if (connection.due <= now || ofClient > MAX_UNSENT_PER_CLIENT || total > MAX_UNSENT) {
      connection.socket.destroy();
    } else {
      unsent.set(connection.client, ofClient);
      all = total;
    }
  }
}

function unsentIn({ answers }: Connection): number {
  return answers.filter(({ bytes }) => bytes !== null).length;
}

/** Requests of one connection that are answered at once. */
export const MAX_AT_ONCE = 8;
/** One read of a socket, 64 KB, may hold over two thousand requests, each some kilobytes in memory. */
const MAX_HELD = 10_000;

/**
 * Answers so many requests of a connection at once and stops reading it meanwhile. Requests that were read
 * with them are held. HTTP allows any number of requests before the first answer (RFC 9112 9.3.2).
 */
export function openPipelines() {
  let held = 0;
  const start = (connection: Connection, res: AnnouncedResponse, serve: () => void): void => {
    const answer: Answer = { bytes: null };
    connection.answers.push(answer);
    if (connection.answers.length === 1) place(connection);
    res.whenGiven((bytes) => {
      answer.bytes = bytes;
      // The client has gone: no answer waits to be sent.
      if (connection.isClosed) return;
      if (connection.answers[0] === answer) place(connection);
      else if (connection.answers[0]?.bytes === null) noteBlocked(connection);
    });
    // Once: Node closes a response once, and `once` would wrap it for each call.
    res.on('close', () => {
      if (connection.isClosed) return;
      connection.answers.shift();
      place(connection);
      next(connection);
    });
    serve();
  };
  const next = (connection: Connection): void => {
    const waiting = connection.held.shift();
    if (waiting !== undefined) {
      held -= 1;
      waiting();
    } else if (connection.isPaused) {
      connection.isPaused = false;
      connection.socket.resume();
    }
  };
  return {
    receive(connection: Connection, res: AnnouncedResponse, serve: () => void): void {
      if (connection.answers.length < MAX_AT_ONCE) {
        start(connection, res, serve);
      } else if (held >= MAX_HELD) {
        connection.socket.destroy();
      } else {
        held += 1;
        connection.held.push(() => start(connection, res, serve));
        connection.isPaused = true;
        connection.socket.pause();
      }
    },
    /** Forgets the requests of a connection that ended. */
    close(connection: Connection): void {
      connection.isClosed = true;
      held -= connection.held.length;
      connection.held.length = 0;
    },
  };
}
