import type { Db, Document, MongoClient } from 'mongodb';
import { rustEngine } from '../../packages/embedded/engine.ts';
import { loadConfig } from '../../src/config.ts';

const { mongoUrl, engine } = loadConfig();
const isRust = engine === 'rust' || (engine === 'auto' && rustEngine() !== null);

/** False on the Rust engine: it explains scans and multikey indexes in other forms than mongod. */
export const EXPLAINS_AS_MONGOD = mongoUrl !== undefined || !isRust;

/** A read as it was sent, without what belongs to the session. */
export type Read = { readonly collection: string; readonly command: Document };

const READS = ['find', 'aggregate', 'count', 'distinct'];
const KEPT = [...READS, 'filter', 'query', 'key', 'pipeline', 'sort', 'limit', 'skip', 'hint', 'projection'];

/** Collects every read that a client sends; the client must have been made with `monitorCommands`. */
export function recordReads(client: MongoClient): Read[] {
  const reads: Read[] = [];
  client.on('commandStarted', ({ commandName, command }) => {
    if (!READS.includes(commandName)) return;
    const entries = Object.entries(command).filter(([name]) => KEPT.includes(name));
    // The dispatcher keeps the order of a sort in a map.
    const sent = Object.fromEntries(
      entries.map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
    );
    reads.push({
      collection: command[commandName],
      command: commandName === 'aggregate' ? { ...sent, cursor: {} } : sent,
    });
  });
  return reads;
}

/** The indexes that the engine says the read goes through; null when it reads the collection whole. */
export async function indexesOf(db: Db, { command }: Read): Promise<string[] | null> {
  const told = await db.command({ explain: command, verbosity: 'queryPlanner' });
  const stages = stagesIn(told);
  if (stages.some(({ stage }) => stage === 'COLLSCAN')) return null;
  return stages.map(({ stage, indexName }) => indexName ?? stage);
}

type Stage = { readonly stage: string; readonly indexName?: string };

/** Of winning plans only, wherever the answer nests them. */
function stagesIn(told: unknown, isWinning = false): Stage[] {
  if (Array.isArray(told)) return told.flatMap((one) => stagesIn(one, isWinning));
  if (typeof told !== 'object' || told === null) return [];
  const own = isWinning && 'stage' in told && typeof told.stage === 'string' ? [told as Stage] : [];
  const inner = Object.entries(told)
    .filter(([name]) => name !== 'rejectedPlans' && name !== 'command')
    .flatMap(([name, value]) => stagesIn(value, isWinning || name === 'winningPlan'));
  return [...own, ...inner];
}

/**
 * The read cut down to the one condition that leads one of the collection's indexes, for each such
 * index. An engine that goes by an index and then filters may tell a compound condition as a scan.
 */
export async function boundsOf(db: Db, { collection, command }: Read): Promise<Read[]> {
  const filter: Document = command['filter'] ?? command['query'] ?? command['pipeline']?.[0]?.$match ?? {};
  const indexes = await db.collection(collection).listIndexes().toArray();
  const leads = new Set(indexes.map((index) => Object.keys(index['key'])[0] ?? ''));
  return [...leads]
    .filter((field) => Object.hasOwn(filter, field))
    .map((field) => ({ collection, command: { find: collection, filter: { [field]: filter[field] } } }));
}
