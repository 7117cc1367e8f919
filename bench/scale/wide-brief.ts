import { gzipSync } from 'node:zlib';
import { accessionNo, briefInput, cikOf, observation } from '../../src/domain/brief/brief.sample.ts';
import { buildBrief } from '../../src/domain/brief/brief.ts';
import type { BriefInput } from '../../src/domain/brief/input.ts';
import type { ManagerObservation } from '../../src/domain/holders/observation.ts';
import { chanceOf } from '../market/chance.ts';

export type Wide = { readonly bytes: number; readonly gzipBytes: number };

/** The size of the brief of a security with so many holders. */
export function wideBrief(holders: number): Wide {
  const body = Buffer.from(JSON.stringify({ data: buildBrief(wideInput(holders)) }));
  return { bytes: body.byteLength, gzipBytes: gzipSync(body).byteLength };
}

/** The inputs of such a brief. */
export function wideInput(holders: number): BriefInput {
  return briefInput({ observations: wideObservations(holders) });
}

/** Synthetic holders: half of them changed, each with a report of this quarter and of the one before. */
export function wideObservations(holders: number): ManagerObservation[] {
  const chance = chanceOf('wide brief', holders);
  return Array.from({ length: holders }, (_, at) => {
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
}
