import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chooseEngine, engineThatMade, markEngine } from './engine.ts';

const RUST = '/somewhere/secantusd-rs';

test('a new home gets the faster engine where it is there, and the other one where it is not', () => {
  expect(chooseEngine(undefined, 'auto', RUST)).toBe('rust');
  expect(chooseEngine(undefined, 'auto', null)).toBe('python');
  expect(chooseEngine(undefined, 'python', RUST)).toBe('python');
});

test('a home keeps the engine that made it', () => {
  expect(chooseEngine('python', 'auto', RUST)).toBe('python');
  expect(chooseEngine('rust', 'auto', RUST)).toBe('rust');
  expect(() => chooseEngine('python', 'rust', RUST)).toThrow('written by the python engine');
});

test('a home of the Rust engine is never opened by the other one where that server is missing', () => {
  expect(() => chooseEngine('rust', 'auto', null)).toThrow('npm run engine');
  expect(() => chooseEngine(undefined, 'rust', null)).toThrow('npm run engine');
});

test('a home without a mark whose MongoDB has data is of the Python engine', () => {
  const home = mkdtempSync(join(tmpdir(), 'tidemark-engine-'));
  expect(engineThatMade(home)).toBeUndefined();
  mkdirSync(join(home, 'mongo'));
  expect(engineThatMade(home)).toBeUndefined();
  writeFileSync(join(home, 'mongo', 'WiredTiger'), '');
  expect(engineThatMade(home)).toBe('python');
  markEngine(home, 'rust');
  expect(engineThatMade(home)).toBe('rust');
  rmSync(home, { recursive: true });
});
