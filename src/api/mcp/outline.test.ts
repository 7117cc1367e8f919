import { expect, test } from 'vitest';
import { outlineOf } from './tool.ts';

const TEXT = { type: 'string', pattern: '^x', description: 'A text' };
const PERSON = {
  type: 'object',
  properties: { name: TEXT, age: { type: ['integer', 'null'] } },
  required: ['name'],
};

test('members of a level are typed, and those below are named where they are never absent', () => {
  const whole = {
    type: 'object',
    properties: {
      side: { type: 'string', enum: ['buy', 'sell'] },
      by: PERSON,
      owners: { type: 'array', items: PERSON },
    },
  };
  const named = { type: 'object', required: ['name'] };
  expect(outlineOf(whole, 1)).toEqual({
    type: 'object',
    properties: { side: { enum: ['buy', 'sell'] }, by: named, owners: { type: 'array', items: named } },
  });
});

test('a list is no level, and one more level types its rows', () => {
  expect(outlineOf({ type: 'array', items: PERSON }, 1)).toEqual({
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' }, age: { type: ['integer', 'null'] } } },
  });
});

test('of several forms the names that all of them have are left, and nothing of forms that are no objects', () => {
  const other = { type: 'object', properties: { code: TEXT, name: TEXT }, required: ['code', 'name'] };
  expect(outlineOf({ oneOf: [PERSON, other] }, 3)).toEqual({ type: 'object', required: ['name'] });
  expect(outlineOf({ anyOf: [PERSON, { type: 'null' }] }, 3)).toEqual({});
});

test('an object without known members stays an object', () => {
  expect(outlineOf({ type: 'object', properties: {} }, 0)).toEqual({ type: 'object' });
  expect(outlineOf({ type: 'object', additionalProperties: TEXT }, 1)).toEqual({ type: 'object' });
});
