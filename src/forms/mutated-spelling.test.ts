import fc from 'fast-check';
import { expect, it } from 'vitest';
import { corpusBytes, folded, heldIn } from '../../test/filed-positions.ts';
import { thirteenFOf } from '../../test/filings/read.ts';

/** CUSIPs that begin with zeros, letters in CUSIPs, options and shares, many other managers. */
const FILES = ['0000950123-18-011885', '0001079114-18-000013', '0001000097-20-000004'];

const TEXTS = new Map(
  FILES.map((name) => [name, Buffer.from(corpusBytes(`filings/${name}.txt`)).toString('latin1')]),
);
const HELD = new Map([...TEXTS].map(([name, text]) => [name, heldOf(text)]));
const source = fc.constantFrom(...FILES);

/** Each call returns the next of the drawn numbers and begins again at the end. */
const drawn = fc.array(fc.nat(999), { minLength: 5, maxLength: 40 }).map((numbers) => {
  let next = 0;
  return (below: number): number => {
    next += 1;
    return (numbers[next % numbers.length] ?? 0) % below;
  };
});

it('CUSIPs in lower case, with blanks and without their zeros are the same positions (rule 3.1)', () => {
  fc.assert(
    fc.property(source, drawn, (name, draw) => {
      const spellings: ((cusip: string) => string)[] = [
        (cusip) => cusip,
        (cusip) => cusip.toLowerCase(),
        (cusip) => ` ${cusip}\n`,
        (cusip) => `${cusip.slice(0, 6)} ${cusip.slice(6, 8)} ${cusip.slice(8)}`,
        (cusip) => cusip.replace(/^0+/, ''),
      ];
      const respelt = inElements(
        textOf(name),
        'cusip',
        (cusip) => spellings[draw(spellings.length)]?.(cusip) ?? '',
      );
      expect(heldOf(respelt)).toEqual(HELD.get(name));
    }),
    { numRuns: 60 },
  );
});

it('numbers with commas, decimals and blanks are the same positions (rule 1.6)', () => {
  fc.assert(
    fc.property(source, drawn, (name, draw) => {
      const spellings: ((number: string) => string)[] = [
        (number) => number,
        (number) => number.replace(/\B(?=(\d{3})+$)/g, ','),
        (number) => `${number}.0`,
        (number) => `\t${number}\n`,
        (number) => `000${number}`,
      ];
      const spell = (number: string): string => spellings[draw(spellings.length)]?.(number) ?? '';
      const respelt = ['value', 'sshPrnamt', 'Sole'].reduce(
        (changed, element) => inElements(changed, element, spell),
        textOf(name),
      );
      expect(heldOf(respelt)).toEqual(HELD.get(name));
    }),
    { numRuns: 60 },
  );
});

it('a table under any prefix, in any case of put and call, is the same positions (rule 2.5)', () => {
  fc.assert(
    fc.property(source, fc.stringMatching(/^p[0-9]{1,3}$/), drawn, (name, prefix, draw) => {
      const sides: ((side: string) => string)[] = [
        (side) => side.toUpperCase(),
        (side) => side.toLowerCase(),
        (side) => ` ${side}`,
      ];
      const cased = inElements(textOf(name), 'putCall', (side) => sides[draw(sides.length)]?.(side) ?? '');
      expect(heldOf(prefixed(cased, prefix))).toEqual(HELD.get(name));
    }),
    { numRuns: 60 },
  );
});

function textOf(name: string): string {
  return TEXTS.get(name) ?? '';
}

function heldOf(text: string): Map<string, unknown> {
  return heldIn(folded([thirteenFOf(new TextEncoder().encode(text))]));
}

/** Rewrites the text of every element with a name, under any prefix. */
function inElements(text: string, element: string, rewrite: (found: string) => string): string {
  const pattern = new RegExp(`(<(?:\\w+:)?${element}>)([^<]*)(?=</)`, 'g');
  return text.replace(pattern, (_match, tag: string, found: string) => `${tag}${rewrite(found)}`);
}

/** The information table with all of its names under another prefix. */
function prefixed(text: string, prefix: string): string {
  const start = text.search(/<(?:\w+:)?informationTable/);
  const end = text.indexOf('</XML>', start);
  const table = text
    .slice(start, end)
    .replace(/<(\/?)(?:\w+:)?(\w+)/g, `<$1${prefix}:$2`)
    .replace(/xmlns(?::\w+)?="(http[^"]*informationtable)"/, `xmlns:${prefix}="$1"`);
  return text.slice(0, start) + table + text.slice(end);
}
