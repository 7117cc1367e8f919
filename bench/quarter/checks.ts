import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Home } from '../live/home.ts';
import { openReader } from '../live/reader.ts';
import { median } from '../median.ts';

/** First briefs that are asked for, of the most widely held stocks. */
const ASKED = 200;

export const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

/** A brief that is not there after so many tries is an error. */
const MAX_TRIES = 10;
const AGAIN_MS = 1_000;

/**
 * Asks for briefs that nobody asked for before, one after another, and again after 503 as clients do; counts those. The
 * API must listen.
 */
export async function askForBriefs(home: Home, tickers: readonly string[]) {
  const reader = await openReader(home);
  const times: number[] = [];
  let refused = 0;
  try {
    for (const ticker of tickers.slice(0, ASKED)) {
      const started = performance.now();
      for (let tries = 1; tries < MAX_TRIES && (await reader.ask(ticker)).status === 503; tries += 1) {
        refused += 1;
        await sleep(AGAIN_MS);
      }
      await reader.brief(ticker);
      times.push(performance.now() - started);
    }
  } finally {
    await reader.close();
  }
  return {
    briefs: times.length,
    '503': refused,
    'p50 ms': Math.round(median(times)),
    'max ms': Math.round(Math.max(...times)),
  };
}

/** The answers of the operator's own checks. Throws when one of them finds something wrong. */
export async function checked(home: Home): Promise<Record<string, unknown>> {
  const events = await json(home, 'events', 'check', '--json');
  const audit = await json(home, 'audit', '--json', '--limit', '1');
  const { stored, critical } = audit as { stored: object; critical: readonly string[] };
  return { events: events['problem_count'], critical: critical.length, ...stored };
}

async function json({ env }: Home, ...args: string[]): Promise<Record<string, unknown>> {
  const command = spawn(process.execPath, [TIDEMARK, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed, [code]] = await Promise.all([text(command.stdout), once(command, 'exit')]);
  if (code !== 0) throw new Error(`tidemark ${args.join(' ')} ended with ${code}: ${printed}`);
  return JSON.parse(printed) as Record<string, unknown>;
}
