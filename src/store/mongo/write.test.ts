import { MongoBulkWriteError, MongoNetworkError, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { isOutage, placesOfDuplicates } from './write.ts';

test.each([
  ['NotWritablePrimary', 10107],
  ['InterruptedDueToReplStateChange', 11602],
  ['PrimarySteppedDown', 189],
])('%s is an outage, of one command and of many', (errmsg, code) => {
  expect(isOutage(new MongoServerError({ errmsg, code }))).toBe(true);
  expect(
    isOutage(new MongoBulkWriteError({ message: errmsg, code, writeErrors: [] } as never, {} as never)),
  ).toBe(true);
});

test('so is a lost connection, and what the driver or server says may be tried again', () => {
  expect(isOutage(new MongoNetworkError('closed'))).toBe(true);
  const labelled = new MongoServerError({ errmsg: 'try again', errorLabels: ['RetryableWriteError'] });
  expect(isOutage(labelled)).toBe(true);
});

test('a refused document, a killed command and an error of our own are none', () => {
  expect(isOutage(new MongoServerError({ errmsg: 'DuplicateKey', code: 11000 }))).toBe(false);
  expect(isOutage(new MongoServerError({ errmsg: 'Interrupted', code: 11601 }))).toBe(false);
  expect(isOutage(new Error('no row'))).toBe(false);
});

test('ids that are taken say nothing of the others, where these may be lost again', () => {
  const refused = { message: 'E11000', code: 11000, writeErrors: [{ index: 2, code: 11000 }] };
  const errorWith = (concern: object | undefined) =>
    new MongoBulkWriteError(refused as never, { getWriteConcernError: () => concern } as never);
  expect(placesOfDuplicates(errorWith(undefined))).toEqual([2]);
  const unsure = errorWith({ code: 91, errmsg: 'ShutdownInProgress' });
  expect(() => placesOfDuplicates(unsure)).toThrow(unsure);
});
