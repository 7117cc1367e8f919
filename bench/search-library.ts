/**
 * The search over names against MiniSearch, in one process over the same 60,000 made-up entries:
 * whether a query finds the entry that it was made from, time a query in turns, memory, time to build.
 * MiniSearch searches by itself, and as a finder of candidates that our rules rank.
 * `npm run bench:search-library [-- queries of a kind]`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compareEntries, MAX_WEIGHT, type SearchEntry } from '../src/domain/search/entry.ts';
import { findEntries } from '../src/domain/search/find.ts';
import {
  cleanMatchOf,
  misspeltMatch,
  queryOf,
  type SearchTarget,
  scoreOf,
  targetOf,
} from '../src/domain/search/rank.ts';
import { buildShard } from '../src/domain/search/shard.ts';
import { wordsOf } from '../src/domain/search/text.ts';
import { MIN_LETTERS_FOR_ONE_ERROR } from '../src/domain/search/thresholds.ts';
import { type Chance, chance, type SeededIndex, seedIndex } from './search-names.ts';

const SIZE = { funds: 20_000, securities: 35_000 };
const LIMIT = 10;
const TOOLS = fileURLToPath(new URL('../tools/', import.meta.url));

/** The part of MiniSearch that is used here. */
type Tree = { readonly queries: readonly (string | Tree)[] } & Readonly<Record<string, unknown>>;
type MiniSearch = {
  addAll(documents: readonly unknown[]): void;
  search(query: Tree): { readonly id: number }[];
};
type Constructor = new (options: Readonly<Record<string, unknown>>) => MiniSearch;

type Search = (text: string) => readonly SearchEntry[];
type Contender = { readonly name: string; readonly build: (index: SeededIndex) => Search };

/** A query and the entry that it means. */
type Case = { readonly text: string; readonly meant: SearchEntry };
type Kind = { readonly name: string; readonly cases: readonly Case[] };

const ours: Contender = {
  name: 'tidemark',
  build: ({ parts }) => {
    const shards = [...parts.values()].map((entries) => buildShard(entries.toSorted(compareEntries)));
    return (text) =>
      findEntries(shards, queryOf(text), { type: null, limit: LIMIT }).map(({ entry }) => entry);
  },
};

function libraryAlone(Library: Constructor): Contender {
  return {
    name: 'MiniSearch alone',
    build: ({ entries }) => {
      const index = libraryIndex(Library, entries);
      return (text) =>
        index
          .search(libraryQuery(text))
          .slice(0, LIMIT)
          .map(({ id }) => entries[id] as SearchEntry);
    },
  };
}

function libraryRanked(Library: Constructor): Contender {
  return {
    name: 'MiniSearch, our rank',
    build: ({ entries }) => {
      const index = libraryIndex(Library, entries);
      const targets = entries.map(targetOf);
      return (text) => {
        const query = queryOf(text);
        return index
          .search(libraryQuery(text))
          .flatMap(({ id }) => {
            const target = targets[id] as SearchTarget;
            const match = cleanMatchOf(query, target) ?? misspeltMatch(query, target);
            return match === null
              ? []
              : [{ entry: target.entry, score: scoreOf(match, target.entry.weight) }];
          })
          .sort((a, b) => b.score - a.score)
          .slice(0, LIMIT)
          .map(({ entry }) => entry);
      };
    },
  };
}

/** Our words, so that accents, case and initials count alike; identifiers and run-together names apart. */
function libraryIndex(Library: Constructor, entries: readonly SearchEntry[]): MiniSearch {
  const index = new Library({
    fields: ['words', 'start', 'ids'],
    extractField: (document: Readonly<Record<string, unknown>>, field: string) => document[field],
    tokenize: (text: string) => text.split(' '),
    processTerm: (term: string) => term,
    searchOptions: {
      boostDocument: (id: number) => 1 + (entries[id]?.weight ?? 0) / MAX_WEIGHT,
    },
  });
  index.addAll(
    entries.map((entry, id) => {
      const { names, ticker } = targetOf(entry);
      const ids = entry.type === 'holding' ? [entry.cusip, ticker] : [entry.cik];
      return {
        id,
        words: names.flatMap(({ words }) => words).join(' '),
        start: names.map(({ start }) => start).join(' '),
        ids: ids.filter((one) => one !== null).join(' '),
      };
    }),
  );
  return index;
}

function libraryQuery(text: string): Tree {
  const { required, core, ticker, cik, cusip } = queryOf(text);
  const ids = [ticker, cik, cusip].filter((one) => one !== null);
  return {
    combineWith: 'OR',
    queries: [
      { queries: ids, fields: ['ids'], boost: { ids: 100 } },
      { queries: ticker === null ? [] : [ticker], fields: ['ids'], prefix: true, boost: { ids: 5 } },
      { queries: core === '' ? [] : [core], fields: ['start'], prefix: true, boost: { start: 10 } },
      {
        queries: required,
        fields: ['words'],
        combineWith: 'AND',
        prefix: true,
        fuzzy: (term: string) => (term.length < MIN_LETTERS_FOR_ONE_ERROR ? 0 : 2),
      },
    ],
  };
}

function kindsOf(index: SeededIndex, count: number): Kind[] {
  const roll = chance(3);
  const pick = (): SearchEntry => index.entries[roll(index.entries.length)] as SearchEntry;
  const strong = (entry: SearchEntry): string[] => wordsOf(entry.name).slice(0, 2);
  const kind = (name: string, textOf: (entry: SearchEntry) => string | null): Kind => {
    const cases: Case[] = [];
    while (cases.length < count) {
      const meant = pick();
      const text = textOf(meant);
      if (text !== null) cases.push({ text, meant });
    }
    return { name, cases };
  };
  const err = (word: string): string | null => (word.length < 5 ? null : misspelt(word, roll));
  return [
    kind('exact ticker, CUSIP or CIK', (entry) => {
      if (entry.type !== 'holding') return entry.cik;
      return entry.ticker ?? entry.cusip;
    }),
    kind('whole name', ({ name }) => name.toLowerCase()),
    kind('first 9 letters', ({ name }) => name.slice(0, 9)),
    kind('name divided otherwise', (entry) => strong(entry).join('')),
    kind('every word, reversed', (entry) => strong(entry).reverse().join(' ')),
    kind('one typing error', (entry) => {
      const [first = '', second = ''] = strong(entry);
      const wrong = err(second);
      return wrong === null ? null : `${first} ${wrong}`;
    }),
    kind('two misspelt words', (entry) => {
      const words = strong(entry).map(err);
      return words.includes(null) ? null : words.join(' ');
    }),
  ];
}

/** Two neighbours swapped, a letter wrong, missing or doubled, behind the first letter. */
function misspelt(word: string, roll: Chance): string {
  const at = 1 + roll(word.length - 2);
  const [before, after] = [word.slice(0, at), word.slice(at + 1)];
  const ways = [
    `${before}${word[at + 1]}${word[at]}${word.slice(at + 2)}`,
    `${before}${String.fromCharCode(97 + roll(26))}${after}`,
    `${before}${after}`,
    `${before}${word[at]}${word[at]}${after}`,
  ];
  return ways[roll(ways.length)] as string;
}

type Row = { first: number; found: number; readonly times: number[] };

function measure(kinds: readonly Kind[], searches: ReadonlyMap<string, Search>): void {
  for (const { name, cases } of kinds) {
    const rows = new Map([...searches.keys()].map((one) => [one, { first: 0, found: 0, times: [] } as Row]));
    for (const { text, meant } of cases) {
      for (const [contender, search] of searches) {
        const row = rows.get(contender) as Row;
        const started = cpuMs();
        const found = search(text);
        row.times.push(cpuMs() - started);
        if (found[0] === meant) row.first += 1;
        if (found.includes(meant)) row.found += 1;
      }
    }
    console.log(name);
    console.table([...rows].map(([contender, row]) => ({ contender, ...summary(row, cases.length) })));
  }
}

/** CPU time of this process, so that other work on the machine does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function summary({ first, found, times }: Row, count: number): Record<string, number> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2));
  const pct = (part: number): number => Number(((part * 100) / count).toFixed(1));
  return { 'first, %': pct(first), 'in ten, %': pct(found), 'p50 ms': at(0.5), 'p99 ms': at(0.99) };
}

function library(): Constructor {
  if (!existsSync(`${TOOLS}node_modules/minisearch`)) {
    execFileSync('npm', ['ci', '--prefix', TOOLS, '--no-audit', '--no-fund'], { stdio: 'inherit' });
  }
  return createRequire(`${TOOLS}package.json`)('minisearch') as Constructor;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const index = seedIndex(SIZE);
const Library = library();
const searches = new Map<string, Search>();
console.log(`${index.entries.length} entries; ${cpus()[0]?.model}, Node ${process.version}`);
for (const { name, build } of [ours, libraryAlone(Library), libraryRanked(Library)]) {
  collect();
  const before = process.memoryUsage();
  const started = cpuMs();
  searches.set(name, build(index));
  const seconds = (cpuMs() - started) / 1_000;
  collect();
  const after = process.memoryUsage();
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  console.log(`${name}: built in ${seconds.toFixed(1)} s, ${(bytes / 2 ** 20).toFixed(0)} MiB`);
}
measure(kindsOf(index, Number(process.argv[2] ?? 500)), searches);
