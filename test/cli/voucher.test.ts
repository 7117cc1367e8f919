import { expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { redeemVoucher } from '../../src/credits/account/voucher.ts';
import { opened } from '../opened.ts';
import { openWorld } from '../world.ts';
import { runProcess, tidemark } from './tidemark.ts';

const CODE = /^TMV(-[0-9A-HJKMNP-TV-Z]{4}){4}$/;

const world = opened(openWorld);

const vouchers = (...args: string[]) => tidemark(world, 'vouchers', ...args);

test('only the codes are printed, one a line, and they can be redeemed; the list has no code', async () => {
  const made = await runProcess(world, 'vouchers', 'create', '--credits', '70', '--count', '3');
  const codes = made.stdout.trim().split('\n');
  expect([made.code, codes.length]).toEqual([0, 3]);
  for (const code of codes) expect(code).toMatch(CODE);
  const { store } = world;
  const { orgId } = await createKey(store, { orgName: 'CLI', credits: 0, label: '' });
  const redeemed = await redeemVoucher(store, orgId, codes[1] ?? '');
  expect(redeemed).toEqual({ kind: 'redeemed', credits: 70, balance: 70 });
  const listed = await vouchers('list', '--json');
  expect(listed.stdout).not.toContain('TMV');
  const states = (JSON.parse(listed.stdout) as { state: string; orgId: string | null }[]).map(
    (voucher) => [voucher.state, voucher.orgId] as const,
  );
  expect(states.filter(([state]) => state === 'open')).toHaveLength(2);
  expect(states).toContainEqual(['redeemed', orgId]);
});

test('a voucher is valid through its last day, and can be revoked until it is redeemed', async () => {
  const made = await vouchers('create', '--credits', '5', '--expires', '2031-12-31', '--json');
  const [voucher] = JSON.parse(made.stdout) as { id: string; code: string; expiresAt: string }[];
  expect(voucher?.expiresAt).toBe('2032-01-01T00:00:00.000Z');
  expect(voucher?.code).toMatch(CODE);
  expect((await vouchers('revoke', voucher?.id ?? '')).code).toBe(0);
  const again = await vouchers('revoke', voucher?.id ?? '');
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no open voucher')]);
});

test('an invalid amount, number or day is a mistake at the command line', async () => {
  const codes: number[] = [];
  for (const args of [
    ['--credits', 'x'],
    ['--credits', '5', '--expires', '2031-02-30'],
    [],
    ['--credits', '0'],
    ['--credits', '5', '--count', '0'],
  ]) {
    codes.push((await vouchers('create', ...args)).code);
  }
  expect(codes).toEqual([2, 2, 2, 2, 2]);
});
