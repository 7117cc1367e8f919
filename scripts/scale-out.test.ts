import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const PLAN = readFileSync(new URL('docs/scale-out.md', root), 'utf8');
const store = new URL('src/store/', root);
const SOURCES = readdirSync(store, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(new URL(name, store), 'utf8'));

/** Collections with a unique index beside `_id`. */
function unique(): string[] {
  const named = SOURCES.flatMap((text) => [
    // `collection: [` … `unique: true` in the list of indexes; `nameIn(db).createIndex(…, { unique: true })`.
    ...[...text.matchAll(/^ {2}(\w+): \[\n(?:(?! {2}\],).*\n)*?.*unique: true/gm)].map(([, name]) => name),
    ...[...text.matchAll(/(\w+)In\(db\)\.createIndex\(.*unique: true/g)].map(([, name]) => name),
  ]);
  return named.filter((name) => name !== undefined).sort();
}

test('no collection that the plan shards by the hash of _id has another unique index', () => {
  const [, list = ''] = /for \(const name of \[(.*)\]\)/.exec(PLAN) ?? [];
  const sharded = [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
  expect(sharded).toContain('positions');
  expect(unique()).toEqual(['events', 'ledger', 'organizations']);
  expect(sharded.filter((name) => unique().includes(name))).toEqual([]);
  for (const name of unique()) expect(PLAN).toContain(`| \`${name}\` | not sharded`);
  // Every name is that of a collection.
  for (const name of sharded) expect(SOURCES.some((text) => text.includes(`'${name}'`))).toBe(true);
});
