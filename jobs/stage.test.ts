import { expect, it } from 'vitest';
import type { FilingDoc } from '../src/store/filing/filings.ts';
import { isCrashLoop } from './stage.ts';

/** The claim of a filing: tried so often, and so many starts of workers at its second try and now. */
const claim = (tries: number, suspectedAt: number | undefined, starts: number) =>
  isCrashLoop({ tries, ...(suspectedAt === undefined ? {} : { suspectedAt }) } as FilingDoc, { starts });

it.each([
  ['a third try', 3, 5, 6, false],
  ['three kills, each followed by one start', 4, 5, 7, true],
  ['three crashes of the parser, noted at the last one', 4, 5, 5, true],
  ['three kills while workers are started for others as often', 4, 5, 9, false],
  ['seven kills among many', 8, 5, 60, false],
  ['eight kills, whatever else is killed', 9, 5, 500, true],
  ['starts that were never noted', 4, undefined, 0, true],
  ['a count that a restore took back', 4, 90, 3, false],
])('%s', (_what, tries, suspectedAt, starts, isLoop) => {
  expect(claim(tries, suspectedAt, starts)).toBe(isLoop);
});
