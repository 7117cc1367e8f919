import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import type { Pattern } from './literals.ts';

const PRINTABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(126 - at));

/**
 * A text on which a pattern takes more than linear time when it is repeated; null where there is none. Two
 * ways lead there: parts that can share the same characters, which `scslre` finds, and a search whose
 * beginning can be repeated inside its own gap (`<a[^>]*>` on `<a<a<a`), which it does not look for.
 */
export function slowText({ source, flags }: Pattern): string | null {
  const plain = flags.replace(/[gy]/g, '');
  const [report] = analyse({ source, flags }).reports;
  if (report !== undefined) return report.character.pick;
  if (flags.includes('y')) return null;
  const { alternatives } = new RegExpParser().parsePattern(source, 0, source.length);
  for (const { prefix, gap } of alternatives.flatMap((one) => [...gapsOf(one, '', plain)]))
    if (matchesWhole(`(?:${gap})*`, prefix, plain)) return prefix;
  return null;
}

type Gap = { readonly prefix: string; readonly gap: string };

/** The parts that repeat without bound, each with a text that leads to it; none behind a `^`, which begins once. */
function* gapsOf(alternative: AST.Alternative, before: string, flags: string): Generator<Gap> {
  let prefix = before;
  for (const element of alternative.elements) {
    // With the flag m a line has to end before the next beginning, which `.` does not pass.
    if (element.type === 'Assertion' && element.kind === 'start') return;
    if (element.type === 'Quantifier' && element.max === Number.POSITIVE_INFINITY && prefix !== '')
      yield { prefix, gap: element.element.raw };
    if (element.type === 'Group' || element.type === 'CapturingGroup')
      for (const one of element.alternatives) yield* gapsOf(one, prefix, flags);
    prefix += sampleOf(element, flags);
  }
}

/** The shortest text that one part of a pattern matches, of printable characters. */
function sampleOf(part: AST.Element | AST.Alternative, flags: string): string {
  switch (part.type) {
    case 'Alternative':
      return part.elements.map((element) => sampleOf(element, flags)).join('');
    case 'Group':
    case 'CapturingGroup':
      return part.alternatives[0] === undefined ? '' : sampleOf(part.alternatives[0], flags);
    case 'Character':
      return String.fromCodePoint(part.value);
    case 'CharacterSet':
    case 'CharacterClass':
      return PRINTABLE.find((character) => matchesWhole(part.raw, character, flags)) ?? 'é';
    case 'Quantifier':
      return sampleOf(part.element, flags).repeat(part.min);
    default:
      return '';
  }
}

function matchesWhole(source: string, text: string, flags: string): boolean {
  return new RegExp(`^(?:${source})$`, flags).test(text);
}
