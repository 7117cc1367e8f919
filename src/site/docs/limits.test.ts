import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../config.ts';
import { guidePage } from './guide.ts';

const DEFAULTS = loadConfig({}).limits;

/** The limit of each line of the table, by what it limits. */
function table(limits: Config['limits']): ReadonlyMap<string, string> {
  const page = guidePage({ siteUrl: 'https://tidemark.example', limits, sandbox: [] });
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
    'Calls of a key in progress': '256',
    'Failed authentications of an address': '60 a minute',
    'Connections of an address': '64',
    URL: '8 KB',
    'Headers of a request': '16 KB',
    'JSON body of /mcp': '64 KB',
    'Time for a request to arrive': 'headers 10 seconds, all 15 seconds',
    'Time to take an answer': '30 seconds, and a second more for each 64 KB',
    'New organisations of an address': '5 an hour',
    'Sign-ins and recovery codes of an address': '20 in 15 minutes',
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
    expect(said.replaceAll(',', '')).toContain('7321');
  },
);

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
