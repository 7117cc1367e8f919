import { gzipSync } from 'node:zlib';
import { accessionNo, briefInput, cikOf, observation } from '../../src/domain/brief/brief.sample.ts';
import { buildWithEvidence } from '../../src/domain/brief/brief.ts';
import type { BriefInput } from '../../src/domain/brief/input.ts';
import { chanceOf } from '../market/chance.ts';
import { median } from '../median.ts';

const ROUNDS = 15;

export type Wide = { readonly bytes: number; readonly gzipBytes: number; readonly cpuMs: number };

/** The brief of a security with so many holders, from its inputs in memory to the bytes that are sent. */
export function wideBrief(holders: number): Wide {
  const input = inputOf(holders);
  const body = bodyOf(input);
  const rounds = Array.from({ length: ROUNDS }, () => cpuMsOf(() => bodyOf(input)));
  return { bytes: body.byteLength, gzipBytes: gzipSync(body).byteLength, cpuMs: median(rounds) };
}

function bodyOf(input: BriefInput): Buffer {
  return Buffer.from(JSON.stringify({ data: buildWithEvidence(input).brief }));
}

/** So many times in one measure: a small brief takes less than the clock of the CPU can tell. */
const TIMES = 20;

function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let time = 0; time < TIMES; time += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / TIMES;
}

/** Synthetic holders: half of them changed, each with a report of this quarter and of the one before. */
function inputOf(holders: number): BriefInput {
  const chance = chanceOf('wide brief', holders);
  const observations = Array.from({ length: holders }, (_, at) => {
    const previousShares = BigInt(1_000 + chance.below(1_000_000));
    const change = chance.is(0.5) ? BigInt(chance.below(1_000) - 400) : 0n;
    const accessions = [accessionNo(2 * at), accessionNo(2 * at + 1)] as const;
    const [first = accessionNo(0), second = accessionNo(1)] = accessions;
    return observation({
      cik: cikOf(1_000_000 + at),
      name: `Manager ${at}`,
      ...{ previousShares, currentShares: previousShares + change, accessions },
      rowsUsed: [
        { accession: first, rows: `${1 + chance.below(900)}` },
        { accession: second, rows: `${1 + chance.below(900)}` },
      ],
    });
  });
  return briefInput({ observations });
}
