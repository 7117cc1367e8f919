import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { canonicalJson } from '../canonical.ts';
import type { Brief } from '../wire/brief.ts';
import { briefId, claimId, evidenceDigest, factsId, manifestId } from './content-id.ts';
import { unwrapped } from './verify.ts';

/** For tests: briefs with one change, as a forger would make it, who knows how ids are computed. */
export type Forgery = {
  /** Of the member that was changed; `*` stands for every place in a list: `evidence.*.raw_hash`. */
  readonly member: string;
  readonly json: string;
  /** Of the brief that was changed. */
  readonly id: string;
};

/** The real and synthetic briefs that are part of the product, with ids as they are computed now. */
export function bundledBriefs(): Brief[] {
  const sandbox = gunzipSync(readFileSync(new URL('../../sandbox/data.jsonl.gz', import.meta.url)));
  const stored = sandbox
    .toString('utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"in":"briefs"'));
  const bodies = stored.map((line) => JSON.parse(line).doc.body.$binary.base64 as string);
  const texts = bodies.map((body) => Buffer.from(body, 'base64').toString('utf8'));
  const sample = readFileSync(new URL('../../site/sample-brief.json', import.meta.url), 'utf8');
  const own = (text: string) => withOwnIds(JSON.stringify(unwrapped(JSON.parse(text))));
  return [sample, ...texts].map((text) => JSON.parse(own(text)) as Brief);
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Path = readonly (string | number)[];

/** `count` changes of single members and structures, the same for the same seed. */
export function forgeriesOf(briefs: readonly Brief[], count: number, seed: number): Forgery[] {
  const random = randomOf(seed);
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const members = briefs.flatMap((brief) => {
    const whole = brief as unknown as Json;
    return nodesOf(whole).map((node) => ({ ...node, whole }));
  });
  return Array.from({ length: count }, () => {
    const { whole, path, value } = oneOf(members);
    const member = path.map((part) => (typeof part === 'number' ? '*' : part)).join('.');
    const removed = typeof path.at(-1) === 'string' ? [undefined] : [];
    const json = replaced(whole, path, oneOf([...changesOf(value), ...removed]));
    return { member, json, id: (whole as unknown as Brief).brief_id };
  });
}

/** The same with every id and digest computed anew, as far as its shape allows. */
export function withOwnIds(json: string): string {
  try {
    const brief = JSON.parse(json) as Brief;
    const { manifest } = brief;
    const claims = manifest.claims.map((claim) => ({ ...claim, claim_id: claimId(claim) }));
    const isComplete = manifest.filings.length === manifest.evidence_id_count;
    const evidence_digest = isComplete ? evidenceDigest(manifest.filings) : manifest.evidence_digest;
    const content = { ...manifest, claims, evidence_digest };
    const own = {
      ...brief,
      facts_id: factsId(brief),
      manifest: { ...content, manifest_id: manifestId(content) },
    };
    return JSON.stringify({ ...own, brief_id: briefId(own) });
  } catch {
    return json;
  }
}

/** The canonical text of all that a brief's id covers, and of the id. */
export function coveredText(json: string): string {
  try {
    const { generated_at: _at, ...content } = JSON.parse(json) as Brief;
    return canonicalJson({
      ...content,
      evidence: content.evidence.map(({ retrieved_at: _, ...rest }) => rest),
    });
  } catch {
    return json;
  }
}

function nodesOf(value: Json, path: Path = []): { readonly path: Path; readonly value: Json }[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [{ path, value }, ...entries.flatMap(([key, member]) => nodesOf(member as Json, [...path, key]))];
}

/** As JSON text, because an object literal cannot have a member `__proto__`. */
function* changesOf(value: Json): Generator<string> {
  if (typeof value === 'string') {
    const counted = value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
    yield* [`${value} `, counted, '', '0', 'none_found'].map((text) => JSON.stringify(text));
    yield* ['null', '"\\ud800"', '7'];
  } else if (typeof value === 'number') {
    yield* [value + 1, value - 1, -value, value * 10 + 0.5, 0].map(String);
    yield* ['9007199254740993', '1e400', 'null', 'true', JSON.stringify(String(value))];
  } else if (typeof value === 'boolean') yield* [String(!value), 'null', value ? '1' : '0'];
  else if (value === null) yield* ['""', '0', '"2018-09-30"'];
  else if (Array.isArray(value)) yield* listsFrom(value);
  else yield* objectsFrom(value as Readonly<Record<string, Json>>);
}

function* listsFrom(items: readonly Json[]): Generator<string> {
  yield '{}';
  const texts = items.map((item) => JSON.stringify(item));
  yield `[${[...texts, texts[0] ?? '"x"'].join()}]`;
  if (items.length === 0) return;
  yield `[${texts.slice(1).join()}]`;
  yield '[]';
  yield `[${texts.toReversed().join()}]`;
}

function* objectsFrom(value: Readonly<Record<string, Json>>): Generator<string> {
  yield* ['[]', 'null'];
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`,
  );
  yield `{${['"__proto__":{"a":1}', ...members].join()}}`;
}

const MARK = '\u0001';

/** @param changed JSON text; undefined removes the member */
function replaced(value: Json, path: Path, changed: string | undefined): string {
  const text = JSON.stringify(withMember(value, path, changed === undefined ? undefined : MARK));
  return text.replace(JSON.stringify(MARK), () => changed ?? '');
}

function withMember(value: Json, [key, ...rest]: Path, member: Json | undefined): Json | undefined {
  if (key === undefined) return member;
  if (Array.isArray(value)) {
    return value.map((item, at) => (at === key ? (withMember(item, rest, member) as Json) : item));
  }
  const object = value as Readonly<Record<string, Json>>;
  return { ...object, [key]: withMember(object[key] as Json, rest, member) } as Json;
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
