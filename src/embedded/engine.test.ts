import { expect, test } from 'vitest';
import { chooseEngine } from './engine.ts';

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
