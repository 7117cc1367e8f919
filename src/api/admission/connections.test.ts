import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type AnnouncedResponse, announcedBy } from '../http/given.ts';
import { openPipelines } from './connections.ts';
import { type Connection, type Peer, place } from './peer.ts';

const Announced = announcedBy({ siteUrl: 'http://localhost', supportContact: undefined });

function open() {
  const sets = {
    idle: new Set<Connection>(),
    sending: new Set<Connection>(),
    blocked: new Set<Connection>(),
  };
  const peer: Peer = { block: 'a', connections: 1, ...sets };
  const state = { since: 0, due: 0, isPaused: false, isClosed: false, among: null };
  const connection: Connection = {
    ...{ socket: new Socket(), peer, client: 'a', answers: [], held: [] },
    ...state,
  };
  place(connection);
  const placed = (): (keyof typeof sets)[] =>
    (['idle', 'sending', 'blocked'] as const).filter((name) => sets[name].has(connection));
  return { connection, placed, pipelines: openPipelines() };
}

function responseOn(socket: Socket) {
  return new Announced(new IncomingMessage(socket)) as AnnouncedResponse;
}

test('a connection is idle, at work, sending, and idle again', () => {
  const { connection, placed, pipelines } = open();
  const res = responseOn(connection.socket);
  expect(placed()).toEqual(['idle']);
  pipelines.receive(connection, res, () => undefined);
  expect(placed()).toEqual([]);
  res.end('answer');
  expect(placed()).toEqual(['sending']);
  res.emit('close');
  expect(placed()).toEqual(['idle']);
});

test('answers behind one whose work goes on are blocked, until it is given', () => {
  const { connection, placed, pipelines } = open();
  const [first, second, third] = [1, 2, 3].map(() => responseOn(connection.socket));
  for (const res of [first, second, third]) if (res) pipelines.receive(connection, res, () => undefined);
  second?.end('answer');
  third?.end('answer');
  expect(placed()).toEqual(['blocked']);
  first?.end('answer');
  expect(placed()).toEqual(['sending']);
  first?.emit('close');
  expect(placed()).toEqual(['sending']);
});

test('an answer that is given after its client has gone keeps no place of the connection', () => {
  const { connection, placed, pipelines } = open();
  const res = responseOn(connection.socket);
  pipelines.receive(connection, res, () => undefined);
  connection.isClosed = true;
  res.end('answer');
  expect(placed()).toEqual([]);
});
