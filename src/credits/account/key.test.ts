import { describe, expect, test } from 'vitest';
import { digestOf, makeKey, mayBeOurs, newKeyId, readKey } from './key.ts';

describe('keys', () => {
  test('a made key has the published shape and reads back its own id', () => {
    const { key, keyId } = makeKey('live');
    expect(key).toMatch(/^tm_live_[0-9A-Za-z]{8}[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
    expect(readKey(key)).toEqual({ keyId, mode: 'live' });
  });

  test('an id of ours is recognised without a look-up, and an invented one hardly ever is', () => {
    const ours = Array.from({ length: 200 }, () => newKeyId('pepper'));
    expect(ours.every((id) => /^[0-9A-Za-z]{8}$/.test(id) && mayBeOurs(id, 'pepper'))).toBe(true);
    const invented = Array.from({ length: 2_000 }, () => makeKey().keyId);
    expect(invented.filter((id) => mayBeOurs(id, 'pepper')).length).toBeLessThan(20);
  });

  test('a test key says so and cannot be made a live one', () => {
    const { key, keyId } = makeKey('test');
    expect(key).toMatch(/^tm_test_[0-9A-Za-z]{46}$/);
    expect(readKey(key)).toEqual({ keyId, mode: 'test' });
    expect(readKey(key.replace('test', 'live'))).toBeNull();
  });

  test('the checksum is the base62 CRC32 of all that stands before it', () => {
    // zlib.crc32(b"tm_live_" + b"0" * 40) is 1710268101 in Python, 1rk6rN in this alphabet.
    const body = `tm_live_${'0'.repeat(40)}`;
    expect(readKey(`${body}1rk6rN`)).toEqual({ keyId: '00000000', mode: 'live' });
    expect(readKey(`${body}1rk6rM`)).toBeNull();
  });

  test('one changed character anywhere is refused', () => {
    const { key } = makeKey('live');
    for (let at = 0; at < key.length; at += 1) {
      const other = key[at] === 'A' ? 'B' : 'A';
      expect(readKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
    }
  });

  test('other prefixes, lengths and characters are refused', () => {
    const { key } = makeKey('live');
    for (const text of ['', 'tm_live_', key.slice(1), `${key}0`, ` ${key}`, key.replace('live', 'test')]) {
      expect(readKey(text)).toBeNull();
    }
  });

  test('the digest depends on the key and on the pepper', () => {
    const { key } = makeKey('live');
    expect(digestOf(key, 'one')).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOf(key, 'one')).not.toBe(digestOf(key, 'two'));
    expect(digestOf(key, 'one')).not.toBe(digestOf(makeKey('live').key, 'one'));
  });
});
