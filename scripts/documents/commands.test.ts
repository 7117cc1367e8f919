import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isTidemark, leavesOf, namedCommands, unknownIn, wholeCommandLine } from './commands.ts';
import { COMMANDS, SCRIPTS } from './register.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('every command of tidemark in the documents exists, with its options', async () => {
  const program = await wholeCommandLine();
  const named = namedCommands().filter(({ command }) => isTidemark(command));
  expect(named.length).toBeGreaterThan(60);
  const wrong = named.map((one) => ({ ...one, unknown: unknownIn(one.command, program) }));
  expect(wrong.filter(({ unknown }) => unknown !== null)).toEqual([]);
});

test('an option or command that does not exist is found', async () => {
  const program = await wholeCommandLine();
  expect(unknownIn('tidemark keys create --org NAME', program)).toBeNull();
  expect(unknownIn('npx --no tidemark keys create --owner NAME', program)).toBe('--owner');
  expect(unknownIn('tidemark keys make', program)).toBe('make');
});

test('every command of tidemark is run by a test or a program that a test runs', async () => {
  const sources = ['test', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map(String)
      .filter((name) => /\.(ts|mjs)$/.test(name))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
  const all = sources.join('\n');
  // `credits('fence')` is a way of some tests to say `tidemark(world, 'credits', 'fence')`.
  const isRun = (path: string): boolean => {
    const [first = '', ...rest] = path.split(' ');
    const quoted = rest.map((word) => `\\s*['"]${word}['"]`).join(',');
    return new RegExp(`['"]${first}['"]${rest.length > 0 ? `,${quoted}` : ''}|\\b${first}\\(${quoted}`).test(
      all,
    );
  };
  expect(leavesOf(await wholeCommandLine()).filter((path) => !isRun(path))).toEqual([]);
});

test('every script of npm in the documents exists; of other programs the register says what holds them', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const [others, named]: [string[], string[]] = [[], []];
  for (const { place, command } of namedCommands().filter(({ command: one }) => !isTidemark(one))) {
    const script = /^npm (?:run (?:--silent |-s )?([\w:-]+)|(test))/.exec(command);
    if (script === null) others.push(command);
    else named.push(script[1] ?? script[2] ?? '');
    if (script !== null)
      expect([place, command, Object.keys(scripts)]).toContainEqual(
        expect.arrayContaining([script[1] ?? script[2]]),
      );
  }
  expect([...new Set(named.map((name) => name.replace(/^bench:.*/, 'bench')))].sort()).toEqual(
    Object.keys(SCRIPTS).sort(),
  );
  expect([...new Set(others)].sort()).toEqual(Object.keys(COMMANDS).sort());
});
