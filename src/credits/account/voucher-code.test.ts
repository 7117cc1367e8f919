import { expect, test } from 'vitest';
import { makeVoucherCode, readVoucherCode, voucherDigest } from './voucher-code.ts';

test('a made code has the published shape and reads back', () => {
  const code = makeVoucherCode();
  expect(code).toMatch(/^TMV(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  expect(readVoucherCode(code)).toBe(code.slice(4).replaceAll('-', ''));
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
    expect(readVoucherCode(typed)).toBe(read);
  }
});

test('a code that begins like the prefix is not shortened', () => {
  expect(readVoucherCode('TMV0TMV0TMV0TMV0')).toBe('TMV0TMV0TMV0TMV0');
});

test('what is no code is refused', () => {
  for (const text of [
    '',
    'TMV-',
    'TMV-0123-4567-89AB-CDE',
    'TMV-0123-4567-89AB-CDEFG',
    'TMV-U123-4567-89AB-CDEF',
  ]) {
    expect(readVoucherCode(text)).toBeNull();
  }
});

test('the digest depends on the code and on the pepper', () => {
  const one = voucherDigest('0123456789ABCDEF', 'pepper');
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(one).not.toBe(voucherDigest('0123456789ABCDEF', 'other'));
  expect(one).not.toBe(voucherDigest('0123456789ABCDE0', 'pepper'));
});
