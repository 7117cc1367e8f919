import { MongoServerError } from 'mongodb';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { problemFrom } from './with-deadline.ts';

const LOGS = { log: pino({ level: 'silent' }), logUnavailable: () => undefined };

test('a socket that the database ended while a command was written is a lost service, not a fault of ours', () => {
  const ended = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
  expect(problemFrom(LOGS, ended).status).toBe(503);
});

test('what a service refuses for good is a fault of ours', () => {
  expect(problemFrom(LOGS, new MongoServerError({ message: 'bad value', code: 2 })).status).toBe(500);
  expect(problemFrom(LOGS, new TypeError('x is not a function')).status).toBe(500);
});
