import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Accession } from '../../src/domain/ids.ts';
import { constructedSubmission } from '../../test/filings/read.ts';
import { lookEach, openParsePool, type ParsePool, parseLimit } from './parse-pool.ts';

const ACCESSION = '0009999999-99-000001' as Accession;
const ROW = `<infoTable><nameOfIssuer>APPLE INC</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>037833100</cusip><value>1</value><shrsOrPrnAmt><sshPrnamt>1</sshPrnamt><sshPrnamtType>SH</sshPrnamtType></shrsOrPrnAmt><investmentDiscretion>SOLE</investmentDiscretion><votingAuthority><Sole>1</Sole><Shared>0</Shared><None>0</None></votingAuthority></infoTable>`;
const COVER = `<edgarSubmission><formData><coverPage><reportCalendarOrQuarter>09-30-2018</reportCalendarOrQuarter><reportType>13F HOLDINGS REPORT</reportType><filingManager><name>X</name></filingManager></coverPage></formData></edgarSubmission>`;
const LIMIT_MS = 300;

const reportOf = (rows: number): Buffer =>
  Buffer.from(
    constructedSubmission({
      form: '13F-HR',
      period: '20180930',
      filed: '20181114',
      documents: [
        ['13F-HR', COVER],
        ['INFORMATION TABLE', `<informationTable>${ROW.repeat(rows)}</informationTable>`],
      ],
    }),
  );

let pool: ParsePool;
beforeAll(async () => {
  pool = openParsePool(1, { limitMs: LIMIT_MS });
  await pool.started();
});
afterAll(() => pool.close());

const rowsOf = async (bytes: Uint8Array, by = pool): Promise<number> => {
  const outcome = await by.parse(bytes, ACCESSION);
  return outcome.ok && outcome.filing.kind === 'thirteen_f' ? outcome.filing.rows.length : 0;
};

test('the bytes of a submission move to the thread, and what shares its memory is copied', async () => {
  const own = new Uint8Array(reportOf(2));
  expect(await rowsOf(own)).toBe(2);
  expect(own.byteLength).toBe(0);
  const shared = Buffer.concat([reportOf(3), Buffer.from('more')]).subarray(0, -4);
  const twice = { bytes: new Uint8Array(reportOf(4)), accession: ACCESSION };
  expect(await rowsOf(shared)).toBe(3);
  expect(await rowsOf(shared)).toBe(3);
  expect((await pool.parseAll([twice, twice])).map(({ ok }) => ok)).toEqual([true, true]);
});

test('a parse that takes too long is stopped, and the next filing is read', async () => {
  // On a fast machine such a report takes half a second.
  const strict = openParsePool(1, { limitMs: 100 });
  const late = rowsOf(reportOf(150_000), strict);
  await expect(late).rejects.toMatchObject({ code: 'parse_timeout', retry: true });
  expect(await rowsOf(reportOf(1), strict)).toBe(1);
  await strict.close();
});

test('filings that wait for a thread for longer than the limit are all read', async () => {
  const report = reportOf(5_000);
  const rows = await Promise.all(Array.from({ length: 24 }, () => rowsOf(new Uint8Array(report))));
  expect(new Set(rows)).toEqual(new Set([5_000]));
});

test('the time of a parse begins with it, and is what the clock and the processor gave it both', () => {
  const begun = new Int32Array(1);
  let [wallMs, cpuMs] = [0, 0];
  const isOver = parseLimit(begun, 30_000, () => ({ wallMs, cpuMs }));
  const later = (wall: number, cpu: number): boolean => {
    wallMs += wall;
    cpuMs += cpu;
    return isOver();
  };
  expect(later(600_000, 600_000)).toBe(false);
  begun[0] = 1;
  expect(later(0, 0)).toBe(false);
  // A busy machine: a second of work in ten minutes.
  expect(later(600_000, 1_000)).toBe(false);
  expect(later(29_000, 28_000)).toBe(false);
  expect(later(1_000, 1_000)).toBe(true);
});

test('an answer that came while the event loop computed is read before its parse is stopped', async () => {
  const order: string[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => order.push('answer'));
  await turn();
  const began = performance.now();
  const timer = lookEach(
    1,
    () => true,
    () => order.push('stop'),
  );
  port2.postMessage('');
  while (performance.now() - began < 20);
  await expect.poll(() => order.length).toBeGreaterThan(1);
  clearInterval(timer);
  port1.close();
  expect(order.slice(0, 2)).toEqual(['answer', 'stop']);
});
