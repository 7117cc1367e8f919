import { expect, test } from 'vitest';
import { RECOVERY, VOUCHER } from './code.ts';

test('a made code has the published shape and reads back', () => {
  const code = VOUCHER.make();
  expect(code).toMatch(/^TMV(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  expect(VOUCHER.read(code)).toBe(code.slice(4).replaceAll('-', ''));
});

test('a code is read as people type it', () => {
  const read = '0123456789ABCDEF';
  for (const typed of [
    'TMV-0123-4567-89AB-CDEF',
    ' tmv 0123 4567 89ab cdef ',
    '0123456789abcdef',
    'TMV-oI23-4567-89AB-CDEF',
    'tmvOl23456789abcdef',
  ]) {
    expect(VOUCHER.read(typed)).toBe(read);
  }
});

test('a code that begins like the prefix is not shortened', () => {
  expect(VOUCHER.read('TMV0TMV0TMV0TMV0')).toBe('TMV0TMV0TMV0TMV0');
});

test('what is no code is refused', () => {
  for (const text of [
    '',
    'TMV-',
    'TMV-0123-4567-89AB-CDE',
    'TMV-0123-4567-89AB-CDEFG',
    'TMV-U123-4567-89AB-CDEF',
  ]) {
    expect(VOUCHER.read(text)).toBeNull();
  }
});

test('the digest depends on the code and on the pepper', () => {
  const one = VOUCHER.digest('0123456789ABCDEF', 'pepper');
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(one).not.toBe(VOUCHER.digest('0123456789ABCDEF', 'other'));
  expect(one).not.toBe(VOUCHER.digest('0123456789ABCDE0', 'pepper'));
});

test('a recovery code is no voucher: they have other prefixes and other digests', () => {
  expect(RECOVERY.make()).toMatch(/^TMR(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  const characters = '0123456789ABCDEF';
  expect(RECOVERY.digest(characters, 'pepper')).not.toBe(VOUCHER.digest(characters, 'pepper'));
});
