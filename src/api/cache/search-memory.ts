import { setImmediate as breathe } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { findEntries, type Hit, type Wanted } from '../../domain/search/find.ts';
import type { SearchQuery } from '../../domain/search/rank.ts';
import { buildShard, type SearchShard } from '../../domain/search/shard.ts';
import { partDigests, readPart } from '../../store/publish/search-index.ts';

/** How old an answer may be: changes are looked for at most this often. */
const FRESH_MS = 1_000;
/** While the database does not answer, what is in memory is good for as long as a brief there. */
const STALE_MS = 60_000;
/** A search does not wait longer to learn of changes; the first one of a process does. */
const LOOK_MS = 500;
const FIRST_LOOK_MS = 5_000;

type Part = { readonly digest: string; readonly shard: SearchShard };

type Memory = {
  readonly parts: Map<string, Part>;
  /** When the look for changes began that `parts` shows the outcome of. */
  lookedAt: number;
  looking: Promise<void> | null;
};

/** One for each database that this process reads; the pipeline's parts are the truth. */
const memories = new WeakMap<Db, Memory>();

/**
 * Searches the index in memory, which shows the parts as they were published at most a second ago.
 * One small command a second, however many searches; a part is read again only when it changed.
 */
export async function searchMemory(db: Db, query: SearchQuery, wanted: Wanted): Promise<Hit[]> {
  const memory = memoryOf(db);
  const age = performance.now() - memory.lookedAt;
  if (age > FRESH_MS || memory.parts.size === 0) {
    await look(db, memory).catch((error: unknown) => {
      if (age > STALE_MS || memory.parts.size === 0) throw error;
    });
  }
  const shards = [...memory.parts.values()].map((part) => part.shard);
  return findEntries(shards, query, wanted);
}

/** Reads the index before the first search asks for it. */
export async function warmSearch(db: Db): Promise<void> {
  await look(db, memoryOf(db));
}

function memoryOf(db: Db): Memory {
  const memory = memories.get(db) ?? { parts: new Map(), lookedAt: Number.NEGATIVE_INFINITY, looking: null };
  memories.set(db, memory);
  return memory;
}

/** Searches that come meanwhile wait for the look that is under way. */
function look(db: Db, memory: Memory): Promise<void> {
  memory.looking ??= takeChanges(db, memory).finally(() => {
    memory.looking = null;
  });
  return memory.looking;
}

async function takeChanges(db: Db, memory: Memory): Promise<void> {
  const began = performance.now();
  const isFirst = memory.parts.size === 0;
  const digests = await partDigests(db, isFirst ? FIRST_LOOK_MS : LOOK_MS);
  for (const id of memory.parts.keys()) if (!digests.has(id)) memory.parts.delete(id);
  for (const [id, digest] of digests) {
    if (memory.parts.get(id)?.digest === digest) continue;
    const part = await readPart(db, id);
    if (part !== null) memory.parts.set(id, { digest: part.digest, shard: buildShard(part.entries) });
    // Other calls are answered between one part and the next.
    await breathe();
  }
  memory.lookedAt = began;
}
