import { expect, test } from 'vitest';
import { settingFindings } from '../../src/cli/check-commands.ts';
import { loadConfig } from '../../src/config.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { tidemark } from './tidemark.ts';

const world = opened(openWorld);

test('doctor says what is good and what is doubtful, and changes nothing', async () => {
  const before = (await world.mongo.db.listCollections().toArray()).map(({ name }) => name);
  const { stdout } = await tidemark(world, 'doctor');
  expect(stdout).toContain('ok   the Redis of the credits evicts nothing\n');
  expect(stdout).toContain('WARN EDGAR_USER_AGENT names no mail address');
  expect(stdout).toContain('WARN no worker live is running\n');
  expect((await world.mongo.db.listCollections().toArray()).map(({ name }) => name)).toEqual(before);
});

test('exit 1 with what fails', async () => {
  const hasty = { ...world, env: { ...world.env, EDGAR_REQUESTS_PER_SECOND: '50' } };
  const { code, stdout } = await tidemark(hasty, 'doctor');
  expect(code).toBe(1);
  expect(stdout).toContain('FAIL EDGAR_REQUESTS_PER_SECOND is above 10');
});

test('an installation that is open to others is doubted where strangers gain by it', () => {
  const open = { HOST: '0.0.0.0', EDGAR_USER_AGENT: 'Example Corp ops@example.com' };
  const kinds = settingFindings(loadConfig(open)).flatMap(({ kind, text }) => (kind === 'ok' ? [] : [text]));
  expect(kinds).toEqual([
    'HOST is open to others, and TIDEMARK_ENV is not production: a start refuses less',
    'SIGNUP is open: anybody who reaches the API gets 1000 credits',
  ]);
  const [pepper, password] = ['a pepper that is long enough', 'a password that is long enough'];
  const safe = { ...open, TIDEMARK_ENV: 'production', KEY_PEPPER: pepper, BOARD_PASSWORD: password };
  const site = { SITE_URL: 'https://tidemark.example', SIGNUP: 'closed' };
  expect(settingFindings(loadConfig({ ...safe, ...site })).every(({ kind }) => kind === 'ok')).toBe(true);
  const without = settingFindings(loadConfig({ ...safe, ...site, KEY_PEPPER: '' }));
  expect(without.filter(({ kind }) => kind !== 'ok')).toMatchObject([
    { text: expect.stringContaining('KEY_PEPPER') },
  ]);
});
