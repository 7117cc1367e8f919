import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generatedSecret, loadConfig, requireSecrets } from './config.ts';
import { UsageError } from './errors.ts';

const source = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const example = Object.fromEntries(
  [...source('../.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
);

describe('.env.example', () => {
  test('documents every setting and no other', () => {
    const schema = /z\.object\(\{(.*?)^\}\);/ms.exec(source('./config.ts'))?.[1] ?? '';
    const names = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(20);
    const onlyCompose = ['MONGO_PASSWORD', 'REDIS_PASSWORD'];
    expect(Object.keys(example).sort()).toEqual([...names, ...onlyCompose].sort());
  });

  test('shows the defaults: read as it stands it changes nothing', () => {
    expect(loadConfig(example)).toEqual(loadConfig({}));
  });
});

describe('the settings', () => {
  test('every problem is listed in one line, by name', () => {
    const bad = () => loadConfig({ PORT: 'eighty', MONGO_URL: 'nowhere', TIDEMARK_AS_OF: '2018-02-30' });
    expect(bad).toThrow(UsageError);
    for (const name of ['PORT', 'MONGO_URL', 'TIDEMARK_AS_OF']) expect(bad).toThrow(name);
    expect(bad).not.toThrow('\n');
  });

  test('the home is absolute, and addresses end without a slash', () => {
    const config = loadConfig({ TIDEMARK_HOME: 'a/home', SITE_URL: 'https://tidemark.example/', PORT: '9' });
    expect(config.home).toBe(resolve('a/home'));
    expect(config.siteUrl).toBe('https://tidemark.example');
    expect(loadConfig({ PORT: '9' }).siteUrl).toBe('http://localhost:9');
  });

  test('sign-up by invitation needs codes, each of eight characters', () => {
    expect(() => requireSecrets(loadConfig({ SIGNUP: 'invite' }), 'api')).toThrow('INVITE_CODES');
    expect(() => loadConfig({ INVITE_CODES: 'long-enough,short' })).toThrow('INVITE_CODES');
    const { signUp } = loadConfig({ SIGNUP: 'invite', INVITE_CODES: ' first-code, second-code,' });
    expect(signUp).toEqual({
      mode: 'invite',
      inviteCodes: ['first-code', 'second-code'],
      credits: 1_000,
      creditsPerDay: 100_000,
    });
  });

  test('a process in production needs its own secrets, and no others', () => {
    const production = { TIDEMARK_ENV: 'production', SIGNUP: 'invite' };
    const api = loadConfig({ ...production, KEY_PEPPER: 'x'.repeat(16), INVITE_CODES: 'a-long-code' });
    const board = loadConfig({ ...production, BOARD_PASSWORD: 'x'.repeat(16) });
    expect(() => requireSecrets(api, 'api')).not.toThrow();
    expect(() => requireSecrets(board, 'board')).not.toThrow();
    expect(() => requireSecrets(api, 'board')).toThrow('TIDEMARK_ENV=production needs BOARD_PASSWORD');
    expect(() => requireSecrets(board, 'api')).toThrow('TIDEMARK_ENV=production needs KEY_PEPPER');
    expect(loadConfig(production)).toMatchObject({ keyPepper: undefined, boardPassword: undefined });
    for (const process of ['api', 'board'] as const)
      expect(() => requireSecrets(loadConfig({}), process)).not.toThrow();
  });

  test('cannot be changed after boot', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  test('a generated secret is 32 hex characters and never the same', () => {
    expect(generatedSecret()).toMatch(/^[0-9a-f]{32}$/);
    expect(generatedSecret()).not.toBe(generatedSecret());
  });
});
