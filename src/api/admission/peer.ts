import type { Socket } from 'node:net';

/** Time of a whole answer, however steadily its client reads, and the slowest rate beyond it. */
export const ANSWER_MS = 30_000;
export const BYTES_PER_MS = 64;

/** An answer that is not sent yet; `bytes` is null while its work goes on. */
export type Answer = { bytes: number | null };

/** A connection: idle without answers, else at work or, when its first answer is given, sending. */
export type Connection = {
  readonly socket: Socket;
  readonly peer: Peer;
  /** Address block of the client of its last request. */
  client: string;
  /** In the order of their requests, which is the order in which they are sent. */
  readonly answers: Answer[];
  /** Requests that were read with others and wait for their turn. */
  readonly held: (() => void)[];
  /** The set of its peer that has it; null while its first answer is at work and nothing waits behind it. */
  among: Set<Connection> | null;
  /** Since when it is idle or sending. */
  since: number;
  /** When the first answer must be sent; no bound while its work goes on. */
  due: number;
  /** Not read until its held requests are served. */
  isPaused: boolean;
  isClosed: boolean;
};

/** All connections of one address block; the sets are in the order of `since`. */
export type Peer = {
  readonly block: string;
  connections: number;
  readonly idle: Set<Connection>;
  readonly sending: Set<Connection>;
  /** The work of the first answer goes on, a call that waits for an event for instance, and later ones are given. */
  readonly blocked: Set<Connection>;
};

/** Puts a connection among the idle or the sending ones of its address, by its first answer. */
export function place(connection: Connection): void {
  const { peer, answers } = connection;
  const first = answers[0];
  connection.since = performance.now();
  connection.due = Number.POSITIVE_INFINITY;
  if (first === undefined) {
    move(connection, peer.idle);
  } else if (first.bytes !== null) {
    connection.due = connection.since + ANSWER_MS + first.bytes / BYTES_PER_MS;
    move(connection, peer.sending);
  } else {
    move(connection, null);
    if (answers.length > 1) noteBlocked(connection);
  }
}

/** Puts a connection last into a set of its peer, and out of the one that has it. */
export function move(connection: Connection, to: Set<Connection> | null): void {
  connection.among?.delete(connection);
  to?.add(connection);
  connection.among = to;
}

/**
 * Notes that answers wait in memory behind one whose work goes on. `since` keeps the time when that one became the
 * first.
 */
export function noteBlocked(connection: Connection): void {
  const { answers, among, peer } = connection;
  if (among !== peer.blocked && answers.some(({ bytes }) => bytes !== null)) move(connection, peer.blocked);
}

/**
 * The connection to end when the server is full: of the fullest address the one idle longest, else the one sending
 * longest.
 */
export function leastNeeded(peers: Iterable<Peer>): Socket | undefined {
  let fullest: Peer | undefined;
  for (const peer of peers) {
    if (peer.idle.size + peer.sending.size === 0) continue;
    if (fullest === undefined || peer.connections > fullest.connections) fullest = peer;
  }
  const [idle] = fullest?.idle ?? [];
  const [sending] = fullest?.sending ?? [];
  return (idle ?? sending)?.socket;
}
