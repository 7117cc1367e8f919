import type { Side } from '../../../domain/filing/option-title.ts';
import { parseAmount } from '../../value.ts';
import { isNumber, overlaps } from './columns.ts';
import type { Span, Word } from './lines.ts';
import { byWord, mayNameOption, sideOf } from './option.ts';
import type { Heading } from './page.ts';

/** The fields right of the share count. */
export type Tail = ReturnType<typeof readTail>;

/** The words of the row's own line, and those of continuation lines. */
export type TailWords = { readonly words: readonly Word[]; readonly more: readonly Word[] };

const AMOUNT_TYPES = byWord({ SH: 'SH SHR SHS SHRS SHARES', PRN: 'PRN PRIN' });
/** The three kinds as the XML form spells them. */
const DISCRETION = byWord({
  SOLE: 'SOLE',
  DFND: 'DFND DEFINED SHARED SHARED-DEFINED',
  OTR: 'OTHER OTR SHARED-OTHER',
});
/** Numbers of the list of managers, which begins with 1: a 0 is a vote. */
const MANAGERS = /^(?!0+(?:,|$))\d{1,2}(?:,(?!0+(?:,|$))\d{1,2})*,?$/;

/**
 * Reads amount type, option side, discretion, managers and votes in the order of the form. Votes count only
 * when they are certain: one to three numbers at the end of the line, or of its continuation, that add up to
 * the shares, in the columns of the heading. No number of a position depends on them.
 */
export function readTail({ words, more }: TailWords, shares: bigint, heading: Heading) {
  let at = 0;
  const next = <T>(table: Readonly<Record<string, T>>): T | null => {
    const found = table[words[at]?.text.toUpperCase() ?? ''] ?? null;
    if (found !== null) at += 1;
    return found;
  };
  const nextSide = (): Side | null => {
    const found = sideOf(words[at]?.text ?? '');
    if (found !== null) at += 1;
    return found;
  };
  const side = nextSide();
  /** Null when the row does not give it. */
  const amountType = next(AMOUNT_TYPES);
  const second = nextSide();
  const mark = words[at]?.text.toUpperCase() === 'X' ? words[at] : undefined;
  if (mark !== undefined) at += 1;
  const discretion = markedIn(mark, heading.discretion) ?? next(DISCRETION) ?? '';
  const third = nextSide();
  const putCall = side ?? second ?? third;
  const rest = words.slice(at);
  /** True when there are more words for a put or a call than were read. */
  const mayBeOption =
    new Set([side, second, third].filter(Boolean)).size > 1 || mayNameOption([...rest, ...more]);
  const first = votesAtEnd(rest, shares, heading.votes);
  const below = first.words > 0 ? NO_VOTES : votesAtEnd(more, shares, heading.votes);
  const managers = [...rest.slice(0, rest.length - first.words), ...more.slice(0, more.length - below.words)];
  const [votingSole, votingShared, votingNone] = (first.words > 0 ? first : below).votes;
  const otherManagers = managers.flatMap(({ text }) => (MANAGERS.test(text) ? [text] : [])).join(' ');
  const votes = { votingSole, votingShared, votingNone };
  return { amountType, putCall, mayBeOption, discretion, otherManagers, ...votes };
}

function markedIn(mark: Word | undefined, columns: readonly Span[] | null): string | null {
  const at = mark === undefined ? -1 : (columns ?? []).findIndex((column) => overlaps(mark, column));
  return ['SOLE', 'DFND', 'OTR'][at] ?? null;
}

type Votes = { readonly words: number; readonly votes: readonly [bigint, bigint, bigint] };

const NO_VOTES: Votes = { words: 0, votes: [0n, 0n, 0n] };

function votesAtEnd(words: readonly Word[], shares: bigint, columns: readonly Span[] | null): Votes {
  for (let count = 1; count <= 3; count += 1) {
    const last = words.slice(-count);
    if (last.length < count || !last.every(isNumber)) return NO_VOTES;
    const numbers = last.map(({ text }) => parseAmount(text)?.value ?? 0n);
    if (numbers.reduce((sum, number) => sum + number, 0n) !== shares) continue;
    // The fewest numbers that add up count: a zero before them changes nothing.
    const places = last.map((word) => placeOf(word, columns));
    if (new Set(places).size < count || places.includes(-1)) return { words: count, votes: NO_VOTES.votes };
    const votes = [0, 1, 2].map((place) => numbers[places.indexOf(place)] ?? 0n);
    return { words: count, votes: [votes[0] ?? 0n, votes[1] ?? 0n, votes[2] ?? 0n] };
  }
  return NO_VOTES;
}

/** The voting column that the word overlaps, else the nearest; -1 when the page has no heading of votes. */
function placeOf(word: Word, columns: readonly Span[] | null): number {
  if (columns === null) return -1;
  const touched = columns.findIndex((column) => overlaps(word, column));
  if (touched >= 0) return touched;
  const distances = columns.map((column) => Math.abs(column.start + column.end - word.start - word.end));
  return distances.indexOf(Math.min(...distances));
}
