import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Waiting } from '../../scripts/sandbox/in-order.ts';
import type { Market } from '../market/market.ts';
import { portfoliosOf } from '../market/portfolio.ts';
import { restatementOf } from '../market/submissions.ts';
import type { Loaded } from './loaded.ts';
import { cpuOf } from './probe.ts';
import { settle } from './settle.ts';

/** Reports that are restated, one after another… */
const REPORTS = 5;
/** …after some that are not counted: a worker that runs for days has started its parser and compiled its code. */
const WARM_UP = 20;

export type Amended = {
  /** Of the restated reports, on average. */
  readonly rows: number;
  /** CPU of comparing the restated reports, in milliseconds each. */
  readonly diffMs: number;
  /** CPU of everything that follows from one, the comparison included. */
  readonly allMs: number;
  /** The same by queue. */
  readonly stages: ReadonlyMap<string, number>;
};

type Restating = Pick<Loaded, 'market' | 'pipeline' | 'probe' | 'dir' | 'edgar'>;

/** Restates reports of about the mean length in the loaded market, and lets all jobs follow. */
export async function measureAmended(restating: Restating): Promise<Amended> {
  const { market, pipeline, probe, dir, edgar } = restating;
  const filers = typicalFilers(market);
  const stages = new Map<string, number>();
  let diffMs = 0;
  for (const [place, { filer }] of filers.entries()) {
    const { file, text } = restatementOf(filer, market);
    writeFileSync(join(dir, file), text);
    await edgar.rescan();
    let isCompared = false;
    await settle(pipeline.context, async (job, work) => {
      const ms = cpuOf((await probe(work)).spent);
      if (runsAnyway(job) || place < WARM_UP) return;
      stages.set(job.name, (stages.get(job.name) ?? 0) + ms / REPORTS);
      // Its own parse compares it, because it is live.
      if (job.name === 'parse' && !isCompared) [isCompared, diffMs] = [true, diffMs + ms / REPORTS];
    });
  }
  const rows = filers.slice(WARM_UP).reduce((sum, one) => sum + one.rows, 0) / REPORTS;
  return { rows, diffMs, allMs: [...stages.values()].reduce((sum, ms) => sum + ms, 0), stages };
}

/** Each costs the same whether a report comes or not. */
function runsAnyway({ name }: Waiting): boolean {
  return name === 'poll' || name === 'dispatch';
}

/** The most typical ones last. Throws for a market of too few filers. */
function typicalFilers(market: Market) {
  if (market.filers < WARM_UP + REPORTS) throw new Error(`fewer than ${WARM_UP + REPORTS} filers`);
  const filers = Array.from({ length: market.filers }, (_, filer) => {
    const rows = portfoliosOf(filer, market).at(-1)?.length ?? 0;
    return { filer, rows };
  });
  const distance = (rows: number): number => Math.abs(rows - market.rows);
  return filers
    .sort((a, b) => distance(a.rows) - distance(b.rows))
    .slice(0, WARM_UP + REPORTS)
    .toReversed();
}
