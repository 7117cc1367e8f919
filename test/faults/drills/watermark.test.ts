import { expect } from 'vitest';
import { FRIDAY, indexOf, MONDAY, openIndexReads, upTo } from '../../flow/index-reads.ts';
import { opened } from '../../opened.ts';
import { longScenario } from '../harness/scenario.ts';
import { operator, step } from './operator.ts';

const reads = opened(openIndexReads);

longScenario('T22', 'drill: a watermark that stands still', async () => {
  const { world } = reads.flow;
  await reads.readUsualDays();
  step('EDGAR sends the index of a Monday with 30 filings; the same weekday had 100');
  await expect(reads.read(MONDAY, indexOf(MONDAY, upTo(30)))).rejects.toThrow('too_few');
  const held = await operator(world, 'status');
  expect(held.stdout).toMatch(new RegExp(`indexed_through +${FRIDAY}\n`));
  expect(held.stdout).toContain(`ALARM ${MONDAY} edgar_implausible`);
  step('Compare it with sec.gov, and wait: the day is read again by itself, and its filings come meanwhile');
  await reads.read(MONDAY, indexOf(MONDAY, upTo(100)));
  const healed = await operator(world, 'status');
  expect(healed.stdout).toMatch(new RegExp(`indexed_through +${MONDAY}\n`));
  expect(healed.stdout).not.toContain('ALARM');
});
