import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../src/embedded/probe.ts';
import { dispatchToEnd, type Flow, openFlow, openStages, runPipeline } from './flow.ts';
import { type Folder, openFolder } from './folder.ts';
import { type Shown, shownIn, streamOf } from './shown.ts';

const TIDEMARK = fileURLToPath(new URL('../../scripts/tidemark.mjs', import.meta.url));

const ACCESSIONS = [
  ...['0000950123-16-020120', '0000950123-16-022377', '0000950123-17-002417', '0000950123-17-005259'],
  ...['0000950123-17-007953', '0000950123-17-010896', '0000950123-18-002390', '0000950123-18-005732'],
  ...['0000950123-18-008866', '0000950123-18-011885'],
  ...['0001079114-17-000009', '0001079114-17-000013', '0001079114-18-000001', '0001079114-18-000008'],
  ...['0001079114-18-000009', '0001079114-18-000013'],
  ...['0001494730-18-000005', '0001494727-18-000003', '0001127602-18-024167'],
];

let folder: Folder;
let undisturbed: Shown;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await openFolder({ accessions: ACCESSIONS, symbols: ['AAPL', 'GM', 'TSLA', 'FB'] });
  const flow = await openFlow(folder, '2018-11-30');
  await runPipeline(flow);
  undisturbed = await shownIn(flow.db);
  await flow.close();
}, 300_000);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await folder?.remove();
});

/** A worker process of its own, by the operator's command. */
function startWorker({ world }: Flow): ChildProcess {
  const env = { PATH: process.env['PATH'], ...world.env };
  const child = spawn(process.execPath, [TIDEMARK, 'work'], { env, stdio: 'ignore' });
  children.push(child);
  return child;
}

const hasEnded = (child: ChildProcess) => async () => child.exitCode !== null || child.signalCode !== null;

test('a worker that is killed mid-run and started again completes the same result', async () => {
  const flow = await openFlow(folder, '2018-11-30');
  const pipeline = await openStages(flow);
  const first = startWorker(flow);
  let atKill: { parsed: number; done: boolean } | null = null;
  try {
    const status = await dispatchToEnd(pipeline, {
      watch: async ({ parsed, done }) => {
        if (atKill !== null || parsed < 3) return;
        atKill = { parsed, done };
        first.kill('SIGKILL');
        await waitUntil(hasEnded(first), 10_000);
        startWorker(flow);
      },
    });
    expect(atKill).toMatchObject({ done: false });
    expect(first.signalCode).toBe('SIGKILL');
    expect(status).toMatchObject({ filings_13f: 16, filings_form4: 3, quarantined: 0, events: 3 });
    expect(await shownIn(flow.db)).toEqual(undisturbed);
    expect((await streamOf(flow.db)).map(([seq]) => seq)).toEqual([1, 2, 3]);
    const second = children.at(-1) as ChildProcess;
    second.kill('SIGTERM');
    await waitUntil(hasEnded(second), 30_000);
    expect(second.exitCode).toBe(0);
  } finally {
    await pipeline.close();
    await flow.close();
  }
}, 300_000);
