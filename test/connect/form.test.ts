import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { keysOf } from '../../src/store/account/keys.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { hiddenOf, idOf, signedUp, visitor } from './visitor.ts';

const site = opened(openSite);

const FORMS = ['sign-out', 'keys/mint', 'keys/label', 'keys/rotate', 'keys/revoke', 'voucher', 'watchlist'];

describe('a form', () => {
  test('without its token, with another visitor’s, or with one from before sign-in does nothing', async () => {
    const { who, key } = await signedUp(site.origin);
    const other = await signedUp(site.origin);
    const stranger = await visitor(site.origin).get('/connect');
    const tokens = [
      '',
      'x',
      hiddenOf((await other.who.get('/connect')).text, '/connect/sign-out')['form_token'] ?? '',
      hiddenOf(stranger.text, '/connect/sign-in')['form_token'] ?? '',
    ];
    const fields = { key_id: idOf(key), label: 'forged', overlap: 'now', once: 'x', tickers: 'AAPL' };
    for (const form of FORMS) {
      for (const form_token of tokens) {
        const seen = await who.post(`/connect/${form}`, { ...fields, form_token });
        expect([form, seen.status]).toEqual([form, 403]);
      }
    }
    expect((await who.get('/connect')).text).toContain('Sign out');
    expect((await keysOf(site.store.db, null)).some((one) => one.label === 'forged')).toBe(false);
  });

  test('before sign-in is bound to the visitor’s own cookie too', async () => {
    const page = await visitor(site.origin).get('/connect');
    const hidden = hiddenOf(page.text, '/connect/sign-up');
    for (const who of [visitor(site.origin), visitor(site.origin)]) {
      if (who.jar.size === 0) await who.get('/connect');
      const seen = await who.post('/connect/sign-up', { ...hidden, organisation: 'Forged' });
      expect(seen.status).toBe(403);
    }
    const bare = await visitor(site.origin).post('/connect/sign-up', { ...hidden, organisation: 'Forged' });
    expect(bare.status).toBe(403);
  });

  test('that another site sends is refused, also with the right token', async () => {
    const { who } = await signedUp(site.origin);
    const hidden = hiddenOf((await who.get('/connect')).text, '/connect/sign-out');
    const port = new URL(site.origin).port;
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `http://127.0.0.1:${port}.evil.example` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect((await who.post('/connect/sign-out', hidden, headers as Record<string, string>)).status).toBe(
        403,
      );
    }
    const own = { origin: site.origin, 'sec-fetch-site': 'same-origin' };
    expect((await who.post('/connect/sign-out', hidden, own)).status).toBe(303);
  });

  test('of an ended session leads back and does nothing', async () => {
    const { who } = await signedUp(site.origin);
    const hidden = hiddenOf((await who.get('/connect')).text, '/connect/keys/mint');
    who.jar.clear();
    const seen = await who.post('/connect/keys/mint', { ...hidden, label: 'late' });
    expect(seen.headers.get('location')).toBe('/connect?done=signed_out');
    const keys = await keysOf(site.store.db, null);
    expect(keys.some((one) => one.label === 'late')).toBe(false);
  });

  test('of more than 64 KB is 413, announced or not', async () => {
    const who = visitor(site.origin);
    const big = 'x'.repeat(70_000);
    expect((await who.post('/connect/sign-up', { organisation: big })).status).toBe(413);
    expect(await sendInPieces(`${site.origin}/connect/sign-up`, big)).toBe(413);
  });

  test('in another encoding is 415', async () => {
    const who = visitor(site.origin);
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', '']) {
      const seen = await who.post('/connect/sign-in', {}, { 'content-type': type });
      expect(seen.status).toBe(415);
    }
  });
});

describe('the pages', () => {
  test('have a strict policy, no script and no inline style, and are not stored', async () => {
    const { who, seen } = await signedUp(site.origin);
    const pages = [seen, await who.get('/connect'), await visitor(site.origin).get('/connect')];
    for (const page of pages) {
      expect(page.headers.get('cache-control')).toBe('no-store');
      const policy = page.headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", "style-src 'self'", "form-action 'self'"])
        expect(policy).toContain(part);
      for (const part of ["frame-ancestors 'none'", "base-uri 'none'"]) expect(policy).toContain(part);
      expect(policy).not.toMatch(/unsafe|script-src|\*/);
      expect(page.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
      expect(page.headers.get('access-control-allow-origin')).toBeNull();
      expect(page.text).not.toMatch(/<script|style="|\son\w+="|javascript:/i);
    }
  });

  test('for everyone may be stored for minutes, the stylesheet under its hash without limit', async () => {
    const who = visitor(site.origin);
    const landing = await who.get('/');
    expect(landing.status).toBe(200);
    expect(landing.cookies).toEqual([]);
    expect(landing.headers.get('cache-control')).toBe('public, max-age=300');
    const etag = landing.headers.get('etag') ?? '';
    expect((await who.get('/', { 'if-none-match': etag })).status).toBe(304);
    const href = /href="(\/site\.css\?v=[0-9a-f]+)"/.exec(landing.text)?.[1] ?? '';
    const css = await who.get(href);
    expect(css.headers.get('content-type')).toContain('text/css');
    expect(css.headers.get('cache-control')).toContain('immutable');
    expect((await who.get('/site.css?v=old')).headers.get('cache-control')).toBe('public, max-age=300');
  });

  test('answer GET and HEAD; other methods are 405 with the allowed ones', async () => {
    for (const path of ['/', '/connect', '/site.css', '/favicon.svg']) {
      const head = await fetch(`${site.origin}${path}`, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const seen = await fetch(`${site.origin}${path}`, { method });
        expect([method, seen.status, seen.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      }
    }
    const put = await fetch(`${site.origin}/connect/sign-in`, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });

  test('redirect only to this site: the address of a form leads to the page, with any query', async () => {
    const who = visitor(site.origin);
    for (const path of [
      '/connect/sign-in?next=https://evil.example',
      '/connect/sign-out?done=//evil.example',
      '/connect/keys/mint',
    ]) {
      const seen = await who.get(path);
      expect([seen.status, seen.headers.get('location')]).toEqual([303, '/connect']);
    }
    const said = await who.get('/connect?done=%3Cb%3Eevil%3C/b%3E&done=__proto__');
    expect(said.status).toBe(200);
    expect(said.text).not.toContain('evil');
    expect((await who.get('/connect?done=constructor')).text).not.toContain('class="notice"');
  });

  test('refuse a key in the URL', async () => {
    const { key } = await signedUp(site.origin);
    for (const path of ['/', '/connect', '/connect/sign-in']) {
      const seen = await visitor(site.origin).get(`${path}?key=${key}`);
      expect(seen.status).toBe(400);
      expect(seen.text).not.toContain(key);
    }
  });
});

/** A body without a length: chunked, as no browser sends a form. */
function sendInPieces(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '198.18.0.1' },
    });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    for (let at = 0; at < body.length; at += 10_000) sent.write(body.slice(at, at + 10_000));
    sent.end();
  });
}
