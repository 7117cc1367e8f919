import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/runs.ts';
import { canonicalJson, sha256Hex } from './canonical.ts';

describe('canonicalJson', () => {
  test('sorts keys by UTF-16 code unit at every depth and keeps the order of arrays', () => {
    const value = { b: [2, 1, { z: null, y: true }], a: 'é', '€': 1, '\u{1f600}': 2, ﬀ: 3 };
    expect(canonicalJson(value)).toBe('{"a":"é","b":[2,1,{"y":true,"z":null}],"€":1,"😀":2,"ﬀ":3}');
  });

  test('prints numbers as RFC 8785 does', () => {
    expect(canonicalJson([1.0, 1e21, 1e-7, -0, 0.1 + 0.2])).toBe('[1,1e+21,1e-7,0,0.30000000000000004]');
  });

  test.each([
    ['a bigint', 1n],
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set([1])],
    ['a Date', new Date(0)],
    ['a class instance', new (class Box {})()],
    ['a lone surrogate', '\ud800'],
  ])('throws for %s at any depth', (_name, value) => {
    expect(() => canonicalJson(value)).toThrow();
    expect(() => canonicalJson({ a: [{ b: value }] })).toThrow();
  });

  test('gives the same text for any order of keys, and JSON that reads back equal', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
        expect(JSON.parse(canonicalJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });

  test('equals the reference implementation for any JSON', { tags: ['property'] }, () => {
    const key = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('10', '9', '__proto__', '\\ud800', 'toJSON'),
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue(),
        fc.dictionary(key, tie('value')),
        fc.array(tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: runs(1_000) },
    );
  });
});

test('sha256Hex hashes the UTF-8 bytes', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
