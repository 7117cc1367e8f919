import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { entryOf, SCENARIO_IDS } from '../../test/faults/catalogue.ts';
import { reportPage, rowOf } from './report.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(ROOT, 'docs', 'faults.md'), 'utf8');
const FILE = '/root/test/faults/credits/lost-reply.test.ts';
const fault = (seed: number, figures = {}) => ({ fault: { id: 'T04', seed, figures } });

describe('the catalogue', () => {
  test('has every group complete, and names files that exist', () => {
    const count = (group: string): number => SCENARIO_IDS.filter((id) => id.startsWith(group)).length;
    expect(['T', 'L', 'B', 'A', 'I', 'F', 'M', 'D'].map(count)).toEqual([28, 7, 15, 11, 8, 7, 9, 9]);
    const missing = SCENARIO_IDS.flatMap((id) => entryOf(id).files).filter(
      (file) => !existsSync(join(ROOT, file)),
    );
    expect(missing).toEqual([]);
  });

  test('stands in docs/faults.md, with what its last verdict leaves unproven', () => {
    const rows = new Map(idsOf(page));
    expect(SCENARIO_IDS.filter((id) => !rows.has(id))).toEqual([]);
    const passedPlainly = SCENARIO_IDS.filter(
      (id) => 'unproven' in entryOf(id) && rows.get(id)?.endsWith('| passed |'),
    );
    expect(passedPlainly).toEqual([]);
  });
});

describe('a row', () => {
  test('has the seeds of its scenario and the figures of the last one', () => {
    const tests = [1, 2].map((seed) => ({ status: 'passed', title: '', meta: fault(seed, { voids: seed }) }));
    expect(rowOf('T04', [{ name: FILE, assertionResults: tests }])).toMatchObject({
      verdict: 'passed',
      seeds: [1, 2],
      figures: 'voids 2',
    });
  });

  test('fails with one of its tests, and is not passed when all of them were skipped', () => {
    const failed = { status: 'failed', title: '', meta: fault(1) };
    const passed = { status: 'passed', title: '', meta: fault(2) };
    const skipped = { status: 'skipped', title: 'T04 lost replies' };
    const verdict = (...tests: object[]) =>
      rowOf('T04', [{ name: FILE, assertionResults: tests as (typeof failed)[] }]).verdict;
    expect(verdict(failed, passed)).toBe('**failed** (1 of 2 tests)');
    expect(verdict(skipped)).toBe('not run');
    expect(verdict()).toBe('not run');
  });

  test('says when a run was shorter than its criterion', () => {
    const of = (part?: number) => ({
      ...{ status: 'passed', title: '' },
      meta: { fault: { id: 'T04', seed: 1, figures: {}, ...(part === undefined ? {} : { part }) } },
    });
    const verdict = (...tests: ReturnType<typeof of>[]) =>
      rowOf('T04', [{ name: FILE, assertionResults: tests }]).verdict;
    expect(verdict(of())).toBe('passed');
    expect(verdict(of(), of(0.1))).toBe('passed; 10 % of its full length');
  });

  test('of what cannot run here is unproven, and counts no test of another scenario', () => {
    expect(rowOf('T08', []).verdict).toMatch(/^unproven: /);
    const other = { status: 'failed', title: '', meta: { fault: { id: 'T15', seed: 1, figures: {} } } };
    expect(rowOf('T04', [{ name: FILE, assertionResults: [other] }]).hasFailed).toBe(false);
  });
});

test('the report has a line for each scenario of the run', () => {
  const row = { id: 'T04', verdict: 'passed', hasFailed: false, seeds: [3, 5], figures: 'voids 1' } as const;
  const report = reportPage([row], { day: '2026-01-02 long', machine: '2 cores' });
  expect(report).toMatch(/^\| T04 \| .+ \| 3 to 5 \| voids 1 \| passed \| 2026-01-02 long \|$/m);
  expect(report).toContain('Machine: 2 cores.');
});

/** The ids of a table's lines, each with its line: `T01`, `L03, L04` and `B01 to B15`. */
function idsOf(table: string): [id: string, line: string][] {
  return [...table.matchAll(/^\| ([A-Z]\d\d(?:(?:, | to )[A-Z]\d\d)?) \|.*$/gm)].flatMap(
    ([line, cell = '']) => {
      const [first = '', last = first] = cell.split(/, | to /);
      return SCENARIO_IDS.filter((id) => id >= first && id <= last).map((id): [string, string] => [id, line]);
    },
  );
}
