import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { termsPage } from './terms.ts';

function page(settings: Readonly<Record<string, string>>): string {
  return termsPage(loadConfig(settings));
}

test('the terms of an installation without settings promise what the software does', () => {
  const text = page({});
  const said = [
    'is investment advice',
    'provided as it is',
    'errors are free',
    'We ask for no e-mail address and no personal name',
  ];
  for (const promise of said) expect(text).toContain(promise);
  expect(text).toContain('A new organisation gets 1,000 credits for free, once, while');
  expect(text).not.toContain('Contact</h2>');
});

test('the terms say when who hangs up pays, as the script that voids does', () => {
  const script = readFileSync(new URL('../../credits/void.lua', import.meta.url), 'utf8');
  for (const limit of ['MAX_HUNG_UP = 1000', 'FEW_HUNG_UP = 50', 'HOUR_SECONDS = 3600'])
    expect(script).toContain(limit);
  expect(page({})).toContain('more than 1,000 times in an hour, or from the fiftieth time on at half');
});

test('the terms name what is stored of a customer, and for how long', () => {
  const stored = page({}).split('What is stored about you')[1] ?? '';
  const ids = ['recovery code', 'its last use', 'grant of credits', 'redeemed voucher', 'watchlist'];
  const times = ['session of the account pages with a digest of its token, 12 hours', 'calls, 10 minutes'];
  for (const words of [...ids, ...times, 'at most an hour']) expect(stored).toContain(words);
});

test('what an operator sets is what the terms say', () => {
  const text = page({
    SIGNUP: 'closed',
    TOPUP_TEXT: 'Invoices on request.',
    TOPUP_LINK: 'https://ops.example/buy',
    SUPPORT_CONTACT: 'ops@example.com',
    TERMS_LINK: 'https://ops.example/terms',
  });
  expect(text).not.toContain('for free, once');
  expect(text).toContain('Invoices on request. <a href="https://ops.example/buy">');
  expect(text).toContain('href="mailto:ops@example.com"');
  expect(text).toContain('<a href="https://ops.example/terms">The terms of the operator</a> apply');
});

test('a link that is not of the web is refused', () => {
  expect(() => loadConfig({ TERMS_LINK: 'javascript:alert(1)' })).toThrow('TERMS_LINK');
});
