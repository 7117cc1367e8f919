import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MAX_QUERY_CHARS, search } from '../../api/endpoints/search.ts';
import { type Config, loadConfig } from '../../config.ts';
import { ACCOUNT_LIMITS } from '../../credits/account/limits.ts';
import { guidePage } from './guide.ts';

const { limits: DEFAULTS, signUp: SIGN_UP } = loadConfig({});

/** The limit of each line of the table, by what it limits. */
function table(limits: Config['limits'], signUp = SIGN_UP): ReadonlyMap<string, string> {
  const page = guidePage({ siteUrl: 'https://tidemark.example', limits, signUp, sandbox: [] });
  const [, chapter = ''] = page.split('<h2 id="limits">');
  const [body = ''] = chapter.split('</table>');
  const cells = [...body.matchAll(/<tr>\s*<th scope="row"[^>]*>(.*?)<\/th>\s*<td[^>]*>(.*?)<\/td>/gs)];
  return new Map(cells.map(([, what = '', limit = '']) => [plain(what), plain(limit)]));
}

function plain(markup: string): string {
  return markup.replace(/<[^>]*>/g, '').trim();
}

test('the guide has every limit of an installation with its number', () => {
  expect(Object.fromEntries(table(DEFAULTS))).toMatchObject({
    'Calls of an organisation, with all its keys': '100 a second on average, 500 at once after a pause',
    'Calls of a key in progress in a process': '256',
    'Failed authentications of an address': '60 a minute',
    'Connections of an address': '64',
    URL: '8 KB',
    'Headers of a request': '16 KB',
    'JSON body of /mcp': '64 KB',
    'Time for a request to arrive': 'headers 10 seconds, all 15 seconds',
    'Time to take an answer': '30 seconds, and a second more for each 64,000 bytes',
    'A connection between two requests': '65 seconds',
    'Rows of /insider/transactions up to the end of a page: page times limit': '10,000',
    'q of /search': '2 to 64 characters',
    'New organisations of an address': '5 an hour',
    'Attempts of an address to make an organisation': '30 an hour',
    'Sign-ins of an address, by key or by recovery code': '20 in 15 minutes',
    'Recovery codes made by an organisation': '20 an hour',
    'Free credits of all new organisations together': '100,000 a day',
    'Valid keys of an organisation': '20',
    'Signed in at /connect': '12 hours',
  });
});

/** They protect a process from all clients together, and no client can keep to them. */
const OF_THE_OPERATOR = ['inFlight', 'loopDelayMs'];

test.each(Object.keys(DEFAULTS).filter((name) => !OF_THE_OPERATOR.includes(name)))(
  'what an operator sets as %s is what the guide says',
  (name) => {
    const said = [...table({ ...DEFAULTS, [name]: 7_321 }).values()].join('\n');
    expect(said).toContain('7,321');
  },
);

test('each limit of the account pages has a row of its own', () => {
  const periods: Readonly<Record<number, string>> = { 60: 'a minute', 900: 'in 15 minutes', 3600: 'an hour' };
  const rows = [...table(DEFAULTS)].filter(([what]) => !what.startsWith('Failed')).map(([, limit]) => limit);
  const expected = Object.values(ACCOUNT_LIMITS).map(
    ({ points, duration }) => `${points} ${periods[duration]}`,
  );
  expect(rows.filter((limit) => / (?:a minute|in 15 minutes|an hour)$/.test(limit)).sort()).toEqual(
    expected.sort(),
  );
});

test('free credits have a limit where there are some', () => {
  const name = 'Free credits of all new organisations together';
  expect(table(DEFAULTS, { ...SIGN_UP, creditsPerDay: 5_000 }).get(name)).toBe('5,000 a day');
  expect(table(DEFAULTS, { ...SIGN_UP, mode: 'closed' }).has(name)).toBe(false);
  expect(table(DEFAULTS, { ...SIGN_UP, credits: 0 }).has(name)).toBe(false);
});

test('a text to search for has as many characters as the guide says, and blanks around it', () => {
  const isRead = (length: number) => search.read({ q: ` ${'x'.repeat(length)} ` }).ok;
  const lengths = [1, 2, MAX_QUERY_CHARS, MAX_QUERY_CHARS + 1];
  expect(lengths.map(isRead)).toEqual([false, true, true, false]);
});

test('a limit that is switched off is none', () => {
  const off = table({ ...DEFAULTS, callsPerSecond: 0, failedAuthPerMinute: 0 });
  expect(off.get('Calls of an organisation, with all its keys')).toBe('none');
  expect(off.get('Failed authentications of an address')).toBe('none');
});

test('an idempotency key is good for as long, and as often, as the scripts of the charge say', () => {
  const limit = table(DEFAULTS).get('Idempotency key') ?? '';
  const charge = readFileSync(new URL('../../credits/charge.lua', import.meta.url), 'utf8');
  const open = readFileSync(new URL('../../credits/open.lua', import.meta.url), 'utf8');
  const numberOf = (script: string, name: string) => Number(script.match(`local ${name} = (\\d+)`)?.[1]);
  expect(limit).toContain(`${numberOf(charge, 'MARKER_SECONDS') / 60} minutes`);
  for (const script of [charge, open]) expect(limit).toContain(`${numberOf(script, 'MAX_REPLAYS')} replays`);
});
