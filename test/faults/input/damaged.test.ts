// @module-tag long
import { SaxesParser } from 'saxes';
import { expect } from 'vitest';
import { decodeSubmission } from '../../../src/forms/decode.ts';
import { PARSE_ERRORS } from '../../../src/forms/index.ts';
import { withEscapedAmpersands } from '../../../src/forms/ownership/document.ts';
import { splitSubmission } from '../../../src/forms/sgml.ts';
import { asText } from '../../../src/forms/source.ts';
import { filingBytes, outcomeOf } from '../../filings/read.ts';
import { scenario } from '../harness/scenario.ts';
import type { Random } from '../harness/seed.ts';
import { endOf, READABLE } from './bundled.ts';

const KIB = 1_024;
/** No bundled filing takes a fiftieth of it. */
const SLOW_MS = 5_000;

scenario(
  'B01',
  'a bundled filing that ends early is refused, whole',
  async ({ random, isLong, measured }) => {
    let cuts = 0;
    for (const name of READABLE) {
      const bytes = filingBytes(name);
      const step = isLong ? KIB : KIB * (16 + random(16));
      for (let end = 0; end < endOf(bytes); end += step) {
        expect(PARSE_ERRORS, `${name} cut at ${end}`).toHaveProperty(
          String(outcomeOf(bytes.subarray(0, end))),
        );
        cuts += 1;
      }
    }
    measured({ filings: READABLE.length, cuts });
  },
);

scenario(
  'F06',
  'a mutated filing is refused, or all XML that was read of it is well-formed',
  async ({ random, isLong, measured, within }) => {
    const runs = isLong ? 100_000 : 2_000;
    let read = 0;
    let slowest = 0;
    for (let run = 0; run < runs; run += 1) {
      const name = READABLE[random(READABLE.length)] ?? '';
      const bytes = mutated(filingBytes(name), random);
      const started = performance.now();
      const outcome = outcomeOf(bytes);
      slowest = Math.max(slowest, performance.now() - started);
      if (typeof outcome === 'string') expect(PARSE_ERRORS, `${name}, run ${run}`).toHaveProperty(outcome);
      else {
        read += 1;
        expectWellFormed(bytes, `${name}, run ${run}`);
      }
    }
    expect(slowest).toBeLessThan(within(SLOW_MS));
    measured({ runs, read, slowest_ms: Math.round(slowest) });
  },
  { timeoutMs: 1_800_000 },
);

const PIECES = [
  '<',
  '>',
  '&',
  '</',
  '<value>',
  '<!--',
  ']]>',
  '<XML>',
  '</XML>',
  '</TEXT>',
  '\n',
  '-',
  '9',
  '\0',
];

/** One to four edits: bytes removed, replaced or copied from elsewhere, or a piece of markup put in. */
function mutated(original: Uint8Array, random: Random): Buffer {
  let bytes = Buffer.from(original);
  for (let edits = 1 + random(4); edits > 0; edits -= 1) {
    const at = random(bytes.length);
    const from = random(bytes.length);
    const put = [
      Buffer.from(PIECES[random(PIECES.length)] ?? ''),
      Buffer.from([random(256)]),
      bytes.subarray(from, from + random(200)),
      Buffer.alloc(0),
    ][random(4)] as Buffer;
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + random(40))]);
  }
  return bytes;
}

/** Judged by a parser of its own: whatever a filing was read from has to be XML, but for a bare `&` (rule 6.1). */
function expectWellFormed(bytes: Uint8Array, what: string): void {
  for (const { xml, type } of splitSubmission(decodeSubmission(bytes)).documents) {
    if (xml === null || !/^(?:4|13F|INFORMATION TABLE)/.test(type)) continue;
    const parser = new SaxesParser({ xmlns: false });
    expect(() => parser.write(withEscapedAmpersands(asText(xml))).close(), what).not.toThrow();
  }
}
