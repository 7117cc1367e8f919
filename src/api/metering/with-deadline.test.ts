import { MongoServerError } from 'mongodb';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { inTime, problemFrom } from './with-deadline.ts';

const LOGS = { log: pino({ level: 'silent' }), logUnavailable: () => undefined };

test('a socket that the database ended while a command was written is a lost service, not a fault of ours', () => {
  const ended = Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' });
  expect(problemFrom(LOGS, ended).status).toBe(503);
});

test('what a service refuses for good is a fault of ours', () => {
  expect(problemFrom(LOGS, new MongoServerError({ message: 'bad value', code: 2 })).status).toBe(500);
  expect(problemFrom(LOGS, new TypeError('x is not a function')).status).toBe(500);
});

test('a value that comes too late is handed over once, and its caller has the deadline', async () => {
  let resolve: (value: string) => void = () => undefined;
  const action = new Promise<string>((done) => {
    resolve = done;
  });
  const late = vi.fn();
  await expect(inTime(action, 1, late)).rejects.toMatchObject({ code: 'deadline', status: 503 });
  resolve('claim');
  await vi.waitFor(() => expect(late.mock.calls).toEqual([['claim']]));
});

test('what comes in time, and what fails, is that of the action; nothing comes late then', async () => {
  const late = vi.fn();
  await expect(inTime(Promise.resolve('value'), 1_000, late)).resolves.toBe('value');
  await expect(inTime(Promise.reject(new TypeError('broken')), 1_000, late)).rejects.toThrow('broken');
  expect(late).not.toHaveBeenCalled();
});
