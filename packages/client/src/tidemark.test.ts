import { expect, test } from 'vitest';
import { tidemark } from './tidemark.ts';

const open = (baseUrl: string) => () => tidemark({ baseUrl, key: 'tm_live_x' });

test('the key is sent over https, or over http on this machine', () => {
  for (const base of ['https://t.example', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1/']) {
    expect(open(base), base).not.toThrow();
  }
  for (const base of [
    'http://t.example',
    'http://localhost.evil.example',
    'http://10.0.0.1',
    'ftp://t.example',
  ]) {
    expect(open(base), base).toThrow('https');
  }
});
