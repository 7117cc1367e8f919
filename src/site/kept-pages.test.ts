import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { announcedBy } from '../api/http/given.ts';
import { keptPages } from './kept-pages.ts';

const ServerResponse = announcedBy({ siteUrl: 'https://tidemark.test', supportContact: undefined });
const res = new ServerResponse(new IncomingMessage(new Socket()));

test('a page is rendered once as long as there is room for it', () => {
  const pages = keptPages(1_000);
  const rendered: string[] = [];
  const show = (key: string, text: string): string => {
    const { gzip } = pages.keep(res, key, () => {
      rendered.push(key);
      return text;
    });
    return gunzipSync(gzip).toString();
  };
  expect([show('a', 'one'), show('a', 'other'), show('b', 'two')]).toEqual(['one', 'one', 'two']);
  expect(rendered).toEqual(['a', 'b']);
  const incompressible = Array.from({ length: 900 }, (_, at) =>
    String.fromCharCode(33 + ((at * at * 7) % 90)),
  ).join('');
  for (let at = 0; at < 9; at += 1) show(`large ${at}`, incompressible + at);
  expect(show('a', 'rendered again')).toBe('rendered again');
});
