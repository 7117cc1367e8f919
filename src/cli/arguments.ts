import { InvalidArgumentError } from 'commander';
import { FAULT_NAMES, type Fault, type FaultPlan } from '../../packages/local-edgar/faults.ts';
import { QUEUE_GROUPS, type QueueGroup } from '../../queues/queue.ts';
import { type IsoDate, isIsoDate, parseTicker, type QuarterEnd, type Ticker } from '../domain/ids.ts';
import { quarterEndOf, type YearAndQuarter } from '../domain/quarter.ts';
import { FORMS } from '../forms/index.ts';

/** Readers of option values. Each throws what commander prints as a mistake at the command line. */

export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,10}$/.test(text) && Number(text) <= max) return Number(text);
    throw new InvalidArgumentError(`It must be a whole number, at most ${max}.`);
  };
}

export function day(text: string): IsoDate {
  if (isIsoDate(text)) return text;
  throw new InvalidArgumentError('A date looks like 2018-11-30.');
}

/** `live,heavy`: groups of queues, each once, in their own order. */
export function queueGroups(text: string): readonly QueueGroup[] {
  const named = text.split(',').map((item) => item.trim());
  const unknown = named.find((name) => !QUEUE_GROUPS.some((group) => group === name));
  if (unknown === undefined) return QUEUE_GROUPS.filter((group) => named.includes(group));
  throw new InvalidArgumentError(`Groups of queues look like live,heavy. Known: ${QUEUE_GROUPS.join(', ')}.`);
}

/** `reset=0.05,omitted_entry=0.1`: faults of a local EDGAR with their shares. */
export function faultShares(text: string): FaultPlan['shares'] {
  const pairs = text.split(',').map((item): [Fault, number] => {
    const [, name, share] = /^([a-z_]+)=(0|1|[01]?\.\d+)$/.exec(item.trim()) ?? [];
    const fault = FAULT_NAMES.find((known) => known === name);
    if (fault !== undefined && Number(share) <= 1) return [fault, Number(share)];
    throw new InvalidArgumentError(`Faults look like reset=0.05,slow=0.1. Known: ${FAULT_NAMES.join(', ')}.`);
  });
  return Object.fromEntries(pairs);
}

export function quarter(text: string): QuarterEnd {
  const [, year, part] = /^(\d{4})Q([1-4])$/i.exec(text) ?? [];
  if (year === undefined) throw new InvalidArgumentError('A quarter looks like 2018Q3.');
  return quarterEndOf(Number(year), Number(part) as YearAndQuarter['quarter']);
}

/** `AAPL,BRK.B` */
export function tickers(text: string): readonly Ticker[] {
  return text.split(',').map((item) => ticker(item.trim()));
}

function ticker(text: string): Ticker {
  const parsed = parseTicker(text);
  if (parsed !== null) return parsed;
  throw new InvalidArgumentError('A ticker looks like AAPL or BRK.B.');
}

/** A form type that is carried, with its amendments. Throws what commander prints as a mistake at the command line. */
export function carriedForm(text: string): string {
  const carried = FORMS.flatMap(({ carries }) => carries);
  if (carried.includes(text)) return text;
  throw new InvalidArgumentError(`Carried forms: ${carried.join(', ')}.`);
}
