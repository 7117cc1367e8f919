import { expect, test } from 'vitest';
import { newOrgId } from '../../store/account/organizations.ts';
import { makeKey } from './key.ts';
import { readOrgName } from './sign-up.ts';

test('a name is kept in one form, without stray spaces', () => {
  expect(readOrgName('  Tide\u00a0 \tWorks\n')).toBe('Tide Works');
  expect(readOrgName('Cafe\u0301')).toBe('Caf\u00e9');
  expect(readOrgName('<b>"O\'Neil" & Sons</b>')).toBe('<b>"O\'Neil" & Sons</b>');
});

test('a name has 2 to 100 characters, one of them a letter or digit', () => {
  for (const text of ['', 'a', '   a  ', '--', 'a'.repeat(101)]) expect(readOrgName(text)).toBeNull();
  for (const text of ['ab', '深海', '𝒜𝒷', '9!', 'a'.repeat(100)]) expect(readOrgName(text)).toBe(text);
});

test('a key that was put in the wrong field is not kept', () => {
  expect(readOrgName(makeKey('live').key)).toBeNull();
  expect(readOrgName(`My key: ${makeKey('test').key}`)).toBeNull();
  expect(readOrgName('tm_live_ GmbH')).toBe('tm_live_ GmbH');
});

test('what could be the id of an organisation is no name', () => {
  for (const text of [newOrgId(), 'acmeholdings', ' 000000000000 ']) expect(readOrgName(text)).toBeNull();
  for (const text of ['Acmeholdings', 'acme holding', 'acmeholding', 'acmeholdings1']) {
    expect(readOrgName(text)).toBe(text);
  }
});

test('characters that show nothing or turn the text are refused', () => {
  for (const mark of ['\u0000', '\u001b[31m', '\u200b', '\u202e', '\u2066', '\ud800', '\ue000']) {
    expect(readOrgName(`ab${mark}cd`)).toBeNull();
  }
});
