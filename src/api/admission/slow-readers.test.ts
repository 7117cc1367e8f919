import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { endSlowReaders } from './connections.ts';
import { type Connection, leastNeeded, type Peer, place } from './peer.ts';

function peerOf(block: string): Peer {
  return { block, connections: 0, idle: new Set(), sending: new Set(), blocked: new Set() };
}

/** A connection with answers of so many bytes; null for one whose work goes on. */
function connectionOf(peer: Peer, answers: readonly (number | null)[] = []): Connection {
  const state = { since: 0, due: 0, isPaused: false, isClosed: false };
  const open = answers.map((bytes) => ({ bytes }));
  const connection = {
    socket: new Socket(),
    peer,
    client: peer.block,
    answers: open,
    held: [],
    among: null,
    ...state,
  };
  peer.connections += 1;
  place(connection);
  return connection;
}

const ended = (connections: readonly Connection[]): number =>
  connections.filter(({ socket }) => socket.destroyed).length;

test('a whole answer has 30 seconds and a second for each 64 KB, however its client reads', () => {
  const peer = peerOf('a');
  const small = connectionOf(peer, [1_000]);
  const large = connectionOf(peer, [3_200_000]);
  const working = connectionOf(peer, [null, 1_000]);
  const start = small.since;
  endSlowReaders([peer], start + 29_000);
  expect(ended([small, large, working])).toBe(0);
  endSlowReaders([peer], start + 31_000);
  expect([small, large, working].map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
  endSlowReaders([peer], start + 82_000);
  expect([large, working].map(({ socket }) => socket.destroyed)).toEqual([true, false]);
});

test('of the answers that one client does not read, 64 are kept, and other clients keep theirs', () => {
  const [greedy, modest] = [peerOf('a'), peerOf('b')];
  const many = Array.from({ length: 20 }, () =>
    connectionOf(
      greedy,
      Array.from({ length: 8 }, () => 1),
    ),
  );
  const few = Array.from({ length: 10 }, () => connectionOf(modest, [1]));
  endSlowReaders([greedy, modest], performance.now() + 900);
  expect(ended([...many, ...few])).toBe(0);
  endSlowReaders([greedy, modest], performance.now() + 1_100);
  expect(ended(many)).toBe(12);
  expect(ended(few)).toBe(0);
});

test('answers behind a call that waits for an event are kept like those of a slow reader, 64 of a client', () => {
  const [greedy, modest] = [peerOf('a'), peerOf('b')];
  const many = Array.from({ length: 20 }, () => connectionOf(greedy, [null, 1, 1, 1, 1, 1, 1, 1]));
  const waiting = Array.from({ length: 100 }, () => connectionOf(modest, [null]));
  const few = connectionOf(modest, [null, 1, 1]);
  endSlowReaders([greedy, modest], performance.now() + 40_000);
  expect(ended(many)).toBe(11);
  expect(ended([...waiting, few])).toBe(0);
});

test('clients behind one proxy are counted apart', () => {
  const proxy = peerOf('proxy');
  const all = Array.from({ length: 100 }, (_, at) => connectionOf(proxy, at < 90 ? [1] : [1, 1]));
  for (const [at, one] of all.entries()) one.client = at < 90 ? `client ${at}` : 'greedy';
  endSlowReaders([proxy], performance.now() + 1_100);
  expect(ended(all)).toBe(0);
});

test('a full server ends what is idle longest at the fullest address, before what sends, never what works', () => {
  const [one, crowd, busy] = [peerOf('one'), peerOf('crowd'), peerOf('busy')];
  connectionOf(one);
  for (let more = 0; more < 9; more += 1) connectionOf(busy, [null]);
  const sending = connectionOf(crowd, [1]);
  const [longest, later] = [connectionOf(crowd), connectionOf(crowd)];
  const peers = [one, crowd, busy];
  expect(leastNeeded(peers)).toBe(longest.socket);
  // It asks something and is idle again: now the other one is idle longest.
  place(longest);
  expect(leastNeeded(peers)).toBe(later.socket);
  crowd.idle.clear();
  expect(leastNeeded(peers)).toBe(sending.socket);
});
