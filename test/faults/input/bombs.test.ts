// @module-tag long
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect } from 'vitest';
import { openParsePool, type ParsePool } from '../../../jobs/worker/parse-pool.ts';
import type { Accession } from '../../../src/domain/ids.ts';
import { constructedSubmission } from '../../filings/read.ts';
import { scenario } from '../harness/scenario.ts';

const ACCESSION = '0009999999-99-000001' as Accession;
const COVER = `<edgarSubmission><formData><coverPage><reportCalendarOrQuarter>09-30-2018</reportCalendarOrQuarter><reportType>13F HOLDINGS REPORT</reportType><filingManager><name>X</name></filingManager></coverPage></formData></edgarSubmission>`;
/** The parser's own limit of 30 seconds ends what these limits do not. */
const BOUND_MS = 5_000;
/** Less than the lock of a job that parses. The bombs are made in this process, too. */
const LOOP_MS = 12_000;
const MIB = 2 ** 20;

let pool: ParsePool;
beforeAll(async () => {
  pool = openParsePool(1);
  await pool.started();
});
afterAll(() => pool.close());

const container = { period: '20180930', filed: '20181114' };
const report = (table: string): Buffer =>
  Buffer.from(
    constructedSubmission({
      ...container,
      form: '13F-HR',
      documents: [
        ['13F-HR', COVER],
        ['INFORMATION TABLE', table],
      ],
    }),
  );
const form4 = (xml: string): Buffer =>
  Buffer.from(constructedSubmission({ ...container, form: '4', documents: [['4', xml]] }));
const attributes = (count: number): string =>
  Array.from({ length: count }, (_, at) => `a${at}="1"`).join(' ');

const BOMBS: Readonly<Record<string, () => Buffer>> = {
  'a text of 100 MB': () => report(`<informationTable>${'x'.repeat(100 * MIB)}</informationTable>`),
  'ten million references': () =>
    report(`<informationTable>${'&#65;'.repeat(10_000_000)}</informationTable>`),
  'nine million references in many texts': () =>
    form4(
      `<ownershipDocument>${`<remarks>${'&#65;'.repeat(60_000)}</remarks>`.repeat(26)}</ownershipDocument>`,
    ),
  'five million attributes': () => report(`<informationTable ${attributes(5_000_000)}/>`),
  'two million levels': () => form4(`<ownershipDocument>${'<a>'.repeat(2_000_000)}`),
  'a million children': () => form4(`<ownershipDocument>${'<a></a>'.repeat(1_000_000)}</ownershipDocument>`),
  'eight million rows': () =>
    report(`<informationTable>${'<infoTable/>'.repeat(8_000_000)}</informationTable>`),
  'more than any submission': () => Buffer.alloc(129 * MIB, 'x'),
};

scenario(
  'B03',
  'a bomb is refused in a moment, and the worker keeps its locks',
  async ({ measured, within }) => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    let slowest = 0;
    for (const [name, bomb] of Object.entries(BOMBS)) {
      const bytes = new Uint8Array(bomb());
      delay.enable();
      const started = performance.now();
      expect(await pool.parse(bytes, ACCESSION), name).toMatchObject({ ok: false });
      slowest = Math.max(slowest, performance.now() - started);
      delay.disable();
    }
    const loopMs = Math.round(delay.max / 1e6);
    measured({ bombs: Object.keys(BOMBS).length, slowest_ms: Math.round(slowest), loop_ms: loopMs });
    expect(slowest).toBeLessThan(within(BOUND_MS));
    expect(loopMs).toBeLessThan(within(LOOP_MS));
  },
);

scenario(
  'B04',
  'a document type is refused before it is read, and nothing is connected to',
  async ({ measured }) => {
    let connections = 0;
    const server = createServer((_, response) => response.end('<!ENTITY x "y">')).on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.dtd`;
    const laughs = Array.from(
      { length: 12 },
      (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
    ).join('');
    const types = [
      '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
      `<!DOCTYPE x SYSTEM "${url}">`,
      `<!DOCTYPE x PUBLIC "-//X" "${url}">`,
      `<!DOCTYPE x [<!ENTITY % p SYSTEM "${url}"> %p;]>`,
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
      `<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]>`,
      `<!DOCTYPE x [<!ENTITY e "${'x'.repeat(50_000)}">]>`,
      '<!doctype x>',
    ];
    for (const type of types) {
      const outcomes = await Promise.all([
        pool.parse(form4(`${type}<ownershipDocument>&e;&l12;</ownershipDocument>`), ACCESSION),
        pool.parse(report(`${type}<informationTable>&e;&l12;</informationTable>`), ACCESSION),
      ]);
      for (const outcome of outcomes) expect(outcome, type).toMatchObject({ ok: false });
    }
    await new Promise((resolve) => server.close(resolve));
    expect(connections).toBe(0);
    measured({ types: types.length, connections });
  },
);
