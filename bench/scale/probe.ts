import { readFileSync } from 'node:fs';
import type { CommandSucceededEvent, MongoClient } from 'mongodb';
import { readState } from '../../packages/embedded/state.ts';

/** What a piece of work cost, here and in the database. */
export type Spent = {
  readonly nodeMs: number;
  /** CPU of the embedded MongoDB; NaN for one that is not of this home. */
  readonly engineMs: number;
  readonly wallMs: number;
  readonly commands: number;
  /** Documents that reads returned. */
  readonly documents: number;
};

/** CPU of Node and of the database, in milliseconds. */
export function cpuOf({ nodeMs, engineMs }: Spent): number {
  return nodeMs + (Number.isNaN(engineMs) ? 0 : engineMs);
}

export type Probe = <T>(work: () => Promise<T>) => Promise<{ readonly answer: T; readonly spent: Spent }>;

/** Many in one measure, because the CPU of the database is counted in ticks. */
const ROUNDS = 40;

/** Returns what measures one of many rounds of the same work, on average. */
export function openTypical(probe: Probe, work: () => Promise<unknown>): () => Promise<Spent> {
  const repeat = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) await work();
  };
  return async () => {
    const { spent } = await probe(repeat);
    return {
      nodeMs: spent.nodeMs / ROUNDS,
      engineMs: spent.engineMs / ROUNDS,
      wallMs: spent.wallMs / ROUNDS,
      commands: spent.commands / ROUNDS,
      documents: spent.documents / ROUNDS,
    };
  };
}

/** The address with which a client reports its commands to {@link openProbe}. */
export function monitored(mongoUrl: string): string {
  return `${mongoUrl}${mongoUrl.includes('?') ? '&' : '?'}monitorCommands=true`;
}

/** Measures work on one connection, alone in its process. The client must have been opened {@link monitored}. */
export function openProbe(client: MongoClient, home: string): Probe {
  let [commands, documents] = [0, 0];
  client.on('commandSucceeded', (event: CommandSucceededEvent) => {
    const { cursor } = event.reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
    commands += 1;
    documents += (cursor?.firstBatch ?? cursor?.nextBatch ?? []).length;
  });
  return async (work) => {
    const before = {
      cpu: process.cpuUsage(),
      wall: performance.now(),
      engine: engineMs(home),
      commands,
      documents,
    };
    const answer = await work();
    const { user, system } = process.cpuUsage(before.cpu);
    const spent = {
      nodeMs: (user + system) / 1_000,
      engineMs: engineMs(home) - before.engine,
      wallMs: performance.now() - before.wall,
      commands: commands - before.commands,
      documents: documents - before.documents,
    };
    return { answer, spent };
  };
}

/** One tick of /proc is ten milliseconds on every Linux that Node supports. */
const TICK_MS = 10;

/** proc(5): user and system time of the process are fields 14 and 15 of its stat. */
function engineMs(home: string): number {
  const pid = readState(home).mongo?.pid;
  if (pid === undefined) return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
