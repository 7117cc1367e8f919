import { describe, expect, test } from 'vitest';
import { VOUCHER } from '../../src/credits/account/code.ts';
import { finishVouchers, makeVouchers, redeemVoucher } from '../../src/credits/account/voucher.ts';
import { appendGrant, grantsIn } from '../../src/store/account/grants.ts';
import { findVoucher, revokeVoucher, takeVoucher, voucherId } from '../../src/store/account/vouchers.ts';
import { PEPPER } from '../world.ts';
import { account, balanceOf, store, useWalletWorld, world } from './use-wallet-world.ts';

useWalletWorld();

const AT = '2030-01-01T00:00:00.000Z';

async function voucher(credits: number, expiresAt: string | null = null) {
  const [made] = await makeVouchers(store(), { credits, count: 1, expiresAt });
  if (made === undefined) throw new Error('one voucher');
  return { code: made.code, id: made.doc._id };
}

const SILENT = { error: () => undefined };

describe('a voucher', () => {
  test('gives its credits once, and reports a repeat to the same organisation', async () => {
    const who = await account(10);
    const { code, id } = await voucher(250);
    expect(await redeemVoucher(store(), who.orgId, code)).toEqual({
      kind: 'redeemed',
      credits: 250,
      balance: 260,
    });
    expect((await redeemVoucher(store(), who.orgId, code)).kind).toBe('already');
    expect(await balanceOf(who.orgId)).toBe(260);
    expect(await findVoucher(world.mongo.db, id)).toMatchObject({ state: 'redeemed', orgId: who.orgId });
  });

  test('gives nothing to a second organisation, without the reason', async () => {
    const [first, second] = [await account(0), await account(0)];
    const { code } = await voucher(5);
    await redeemVoucher(store(), first.orgId, code);
    expect((await redeemVoucher(store(), second.orgId, code)).kind).toBe('unknown');
    expect(await balanceOf(second.orgId)).toBe(0);
  });

  test('of fifty parallel redemptions by five organisations exactly one makes a grant', async () => {
    const orgs = await Promise.all(Array.from({ length: 5 }, () => account(0)));
    const { code, id } = await voucher(40);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, at) => redeemVoucher(store(), orgs[at % 5]?.orgId ?? '', code)),
    );
    expect(results.some((result) => result.kind === 'redeemed')).toBe(true);
    const balances = await Promise.all(orgs.map((org) => balanceOf(org.orgId)));
    expect(balances.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 40]);
    expect(Number(await grantsIn(world.mongo.db).countDocuments({ source: `voucher:${id}` }))).toBe(1);
  });

  test('that is expired, revoked or invented gives nothing', async () => {
    const who = await account(0);
    const past = await voucher(5, '2020-01-01T00:00:00.000Z');
    expect((await redeemVoucher(store(), who.orgId, past.code)).kind).toBe('expired');
    const taken = await voucher(5);
    expect(await revokeVoucher(world.mongo.db, taken.id)).toBe(true);
    expect((await redeemVoucher(store(), who.orgId, taken.code)).kind).toBe('unknown');
    expect((await redeemVoucher(store(), who.orgId, 'TMV-0000-0000-0000-0000')).kind).toBe('unknown');
    expect((await redeemVoucher(store(), who.orgId, 'nonsense')).kind).toBe('unknown');
    expect(await balanceOf(who.orgId)).toBe(0);
  });

  test('is stored without its code', async () => {
    const { code, id } = await voucher(5);
    const stored = JSON.stringify(await findVoucher(world.mongo.db, id));
    for (const secret of [code, code.slice(4), VOUCHER.read(code) ?? ''])
      expect(stored).not.toContain(secret);
    expect(stored).toContain(VOUCHER.digest(VOUCHER.read(code) ?? '', PEPPER));
  });

  test('that was redeemed cannot be revoked', async () => {
    const who = await account(0);
    const { code, id } = await voucher(5);
    await redeemVoucher(store(), who.orgId, code);
    expect(await revokeVoucher(world.mongo.db, id)).toBe(false);
  });
});

describe('a redemption that was interrupted', () => {
  test('of a damaged organisation is logged, and holds up neither the others nor the start', async () => {
    const who = await account(1);
    const [broken, other] = [await voucher(20), await voucher(30)];
    await takeVoucher(world.mongo.db, broken.id, 'gone', AT);
    await takeVoucher(world.mongo.db, other.id, who.orgId, AT);
    const said: unknown[] = [];
    await finishVouchers(store(), { error: (...line: unknown[]) => void said.push(line[0]) });
    expect(said).toMatchObject([{ voucher: broken.id }]);
    expect(await balanceOf(who.orgId)).toBe(31);
  });

  test('before its grant is finished by the next start, once', async () => {
    const who = await account(1);
    const { id } = await voucher(30);
    expect(await takeVoucher(world.mongo.db, id, who.orgId, AT)).toBe(true);
    await Promise.all([finishVouchers(store(), SILENT), finishVouchers(store(), SILENT)]);
    await finishVouchers(store(), SILENT);
    expect(await balanceOf(who.orgId)).toBe(31);
    expect((await findVoucher(world.mongo.db, id))?.state).toBe('redeemed');
  });

  test('between grant and settlement does not grant again, by start or by code', async () => {
    const who = await account(1);
    const { code, id } = await voucher(30);
    await takeVoucher(world.mongo.db, id, who.orgId, AT);
    const grant = { orgId: who.orgId, amount: 30, reason: 'voucher', source: `voucher:${id}`, at: AT };
    await appendGrant(world.mongo.db, grant);
    const again = Array.from({ length: 10 }, () => redeemVoucher(store(), who.orgId, code));
    await Promise.all([...again, finishVouchers(store(), SILENT)]);
    expect(await balanceOf(who.orgId)).toBe(31);
  });
});

test('parallel grants of one source are one grant, next to other grants', async () => {
  const who = await account(0);
  const grant = { orgId: who.orgId, amount: 1, reason: 'test', at: AT };
  const once = Array.from({ length: 15 }, () => appendGrant(world.mongo.db, { ...grant, source: 'only' }));
  const free = Array.from({ length: 15 }, () => appendGrant(world.mongo.db, grant));
  const [numbers] = await Promise.all([Promise.all(once), Promise.all(free)]);
  expect(new Set(numbers.map((doc) => doc.g)).size).toBe(1);
  expect(Number(await grantsIn(world.mongo.db).countDocuments({ orgId: who.orgId }))).toBe(16);
});

test('two vouchers have two codes, and the id is derived from the digest', async () => {
  const made = await makeVouchers(store(), { credits: 1, count: 3, expiresAt: null });
  expect(new Set(made.map(({ code }) => code)).size).toBe(3);
  for (const { doc } of made) expect(doc._id).toBe(voucherId(doc.digest));
});
