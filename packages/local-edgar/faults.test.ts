import { describe, expect, test } from 'vitest';
import { FAULTS, openFaults } from './faults.ts';

const PATHS = Array.from({ length: 2_000 }, (_, n) => `/Archives/edgar/data/${n}/x.txt`);

describe('a plan of faults', () => {
  const plan = { seed: 7, shares: { reset: 0.05, slow: 0.1, truncated_index: 1, omitted_entry: 0.05 } };

  test('of one seed shows the same faults in any order of requests, and of another seed others', () => {
    const [one, other, third] = [openFaults(plan), openFaults(plan), openFaults({ ...plan, seed: 8 })];
    const inOrder = PATHS.map((path) => one.ofRequest(path, 'submission'));
    const backwards = PATHS.toReversed().map((path) => other.ofRequest(path, 'submission'));
    expect(backwards.toReversed()).toEqual(inOrder);
    expect(PATHS.map((path) => third.ofRequest(path, 'submission'))).not.toEqual(inOrder);
  });

  test('keeps its shares, and shows a fault only in the answers that it concerns', () => {
    const faults = openFaults(plan);
    const drawn = PATHS.map((path) => faults.ofRequest(path, 'submission'));
    const share = (name: string | null): number => drawn.filter((fault) => fault === name).length / 2_000;
    expect(share('reset')).toBeCloseTo(0.05, 1);
    expect(share('slow')).toBeCloseTo(0.1, 1);
    expect(new Set(drawn)).toEqual(new Set([null, 'reset', 'slow']));
    expect(faults.ofRequest('/master.idx', 'index')).not.toBeNull();
    expect(PATHS.some((path) => faults.ofEntry(path) === 'omitted_entry')).toBe(true);
  });

  test('lets a path through after its number of faults', () => {
    const faults = openFaults({ seed: 1, shares: { reset: 1 }, timesPerPath: 2 });
    const five = [1, 2, 3, 4, 5].map(() => faults.ofRequest('/x', 'feed'));
    expect(five).toEqual(['reset', 'reset', null, null, null]);
  });

  test('is empty without a plan', () => {
    const faults = openFaults(undefined);
    expect([faults.ofRequest('/x', 'feed'), faults.ofEntry('x')]).toEqual([null, null]);
    expect(Object.keys(FAULTS)).toHaveLength(11);
  });
});
