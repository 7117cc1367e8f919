import { expect, test } from 'vitest';
import { changeLog } from './changes.ts';

/** Replaces the report of a manager, one row of each security, by an equal one. */
function replace(log: ReturnType<typeof changeLog>, manager: number, securities: readonly number[]): void {
  log.noteReport(manager);
  for (const security of securities) log.noteGone(manager, security, () => 'as it was');
  log.noteReport(manager);
  for (const security of securities) log.noteCome(manager, security, () => 'as it was');
  log.endReport(manager);
}

test('of very many rows that go at once, the content of some is kept, and the others count as changed', () => {
  const log = changeLog(2);
  const before = log.now();
  replace(log, 0, [0, 1, 2]);
  expect(log.since(before)).toEqual({ managers: [0], securities: [2] });
  // Rows that came again, and those that did not, make room for others.
  const later = log.now();
  replace(log, 1, [0, 1]);
  log.noteReport(2);
  log.noteGone(2, 4, () => 'sold');
  log.endReport(2);
  replace(log, 3, [5, 6]);
  expect(log.since(later)).toEqual({ managers: [1, 2, 3], securities: [4] });
});

test('rows of which no content is kept are not written out', () => {
  const log = changeLog(0);
  const before = log.now();
  log.noteReport(0);
  log.noteGone(0, 0, () => {
    throw new Error('written out');
  });
  expect(log.since(before)).toEqual({ managers: [0], securities: [0] });
});
