import { describe, expect, test } from 'vitest';
import { createKey } from '../../src/credits/account/key-life.ts';
import { addKey } from '../../src/credits/account/key-mint.ts';
import { findKey } from '../../src/store/account/keys.ts';
import { organizationsIn } from '../../src/store/account/organizations.ts';
import { opened } from '../opened.ts';
import { openSite } from './open-connect.ts';
import { creditsOf, hiddenOf, idOf, keyOn, type Seen, signedUp, visitor } from './visitor.ts';

const site = opened(openSite);

describe('a recovery code', () => {
  test('is shown once beside the first key, and opens the account when all keys are gone', async () => {
    const { who, key, seen } = await signedUp(site.origin);
    const code = codeOn(seen);
    expect((await who.get('/connect')).text).not.toContain(code);
    await who.send('/connect/keys/revoke', { key_id: idOf(key), confirm: 'First key' });
    const stranger = visitor(site.origin);
    const answer = await stranger.send('/connect/recover', { code: code.toLowerCase().replaceAll('-', ' ') });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await creditsOf(site.origin, keyOn(answer))).toEqual({ status: 200, balance: 1_000 });
    expect((await stranger.get('/connect')).text).toContain('<h3>Recovered</h3>');
  });

  test('makes one key for a form that is sent twice', async () => {
    const { seen } = await signedUp(site.origin);
    const who = visitor(site.origin);
    const hidden = hiddenOf((await who.get('/connect')).text, '/connect/recover');
    const fields = { ...hidden, code: codeOn(seen) };
    expect((await who.post('/connect/recover', fields)).status).toBe(201);
    const again = await who.post('/connect/recover', fields);
    expect(again.headers.get('location')).toBe('/connect?done=sent_before');
    expect((await who.get('/connect')).text).toContain('2 of at most 20 valid keys');
  });

  test('that is wrong opens nothing, and is tried twenty times in a quarter of an hour', async () => {
    const who = visitor(site.origin);
    for (const code of ['', 'TMR-0000-0000-0000-0000', 'TMV-0000-0000-0000-0000']) {
      const seen = await who.send('/connect/recover', { code });
      expect(seen.status).toBe(422);
      expect(seen.text).toContain('aria-describedby="recovery-fault"');
    }
    const hidden = hiddenOf((await who.get('/connect')).text, '/connect/recover');
    const send = async () => (await who.post('/connect/recover', { ...hidden, code: 'x' })).status;
    const seen = await Promise.all(Array.from({ length: 18 }, send));
    expect(seen.filter((status) => status === 429)).toHaveLength(1);
  });

  test('is replaced by a new one at once with the present one, by a form that is sent twice', async () => {
    const { who, seen } = await signedUp(site.origin);
    const form = hiddenOf((await who.get('/connect')).text, '/connect/recovery-code');
    const wrong = await who.post('/connect/recovery-code', { ...form, code: 'TMR-0000-0000-0000-0000' });
    expect([wrong.status, wrong.text.includes('present-code-fault')]).toEqual([422, true]);
    const hidden = { ...hiddenOf(wrong.text, '/connect/recovery-code'), code: codeOn(seen) };
    const made = await who.post('/connect/recovery-code', hidden);
    expect(made.status).toBe(201);
    const again = await who.post('/connect/recovery-code', hidden);
    expect(again.headers.get('location')).toBe('/connect?done=sent_before');
    expect([await recover(codeOn(seen)), await recover(codeOn(made))]).toEqual([422, 201]);
  });

  test('is replaced without it only after 72 hours, which the account page says', async () => {
    const { who, seen, key } = await signedUp(site.origin);
    const made = await who.send('/connect/recovery-code', { code: '' });
    expect([made.status, made.text.includes('It is valid from')]).toEqual([201, true]);
    const page = await who.get('/connect');
    expect(page.text).toContain('Somebody asked for another code');
    expect([await recover(codeOn(made)), await recover(codeOn(seen))]).toEqual([422, 201]);
    const { db } = site.world.mongo;
    const _id = (await findKey(db, idOf(key)))?.orgId ?? '';
    const from = (await organizationsIn(db).findOne({ _id }))?.recovery?.next?.from ?? '';
    const hours = (Date.parse(from) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(71.9);
    expect(hours).toBeLessThanOrEqual(72);
    // What comes is what would have come three days later.
    await organizationsIn(db).updateOne(
      { _id },
      { $set: { 'recovery.next.from': '2018-11-30T00:00:00.000Z' } },
    );
    expect([await recover(codeOn(seen)), await recover(codeOn(made))]).toEqual([422, 201]);
    expect((await who.get('/connect')).text).not.toContain('Somebody asked');
    const third = await who.send('/connect/recovery-code', { code: '' });
    expect([await recover(codeOn(third)), await recover(codeOn(made))]).toEqual([422, 201]);
  });

  test('takes back what was asked for without it', async () => {
    const { who, seen } = await signedUp(site.origin);
    await who.send('/connect/recovery-code', { code: '' });
    const made = await who.send('/connect/recovery-code', { code: codeOn(seen) });
    expect(await recover(codeOn(made))).toBe(201);
    expect((await who.get('/connect')).text).not.toContain('Somebody asked');
  });

  test('makes at most five keys more than an organisation may have', async () => {
    const { seen, key } = await signedUp(site.origin);
    const { orgId } = (await findKey(site.world.mongo.db, idOf(key))) ?? { orgId: '' };
    for (let n = 1; n < 24; n += 1) await addKey(site.store, { orgId, label: '', mode: 'live' });
    const recover = () => visitor(site.origin).send('/connect/recover', { code: codeOn(seen) });
    expect((await recover()).status).toBe(201);
    const refused = await recover();
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('many valid keys');
  });

  test('is in neither store nor log', async () => {
    const { seen } = await signedUp(site.origin);
    const characters = codeOn(seen).slice(4).replaceAll('-', '');
    const orgs = JSON.stringify(await site.world.mongo.db.collection('organizations').find().toArray());
    for (const text of [orgs, site.logged()]) {
      expect(text).not.toContain(characters);
      expect(text).not.toContain(codeOn(seen));
    }
  });
});

test('an operator joins an organisation that a visitor made only when told to', async () => {
  const { key, name } = await signedUp(site.origin);
  const wanted = { orgName: name, credits: 5, label: '' };
  await expect(createKey(site.store, wanted)).rejects.toThrow('A visitor made the organisation');
  expect((await creditsOf(site.origin, key)).balance).toBe(1_000);
  const joined = await createKey(site.store, { ...wanted, join: true });
  await createKey(site.store, { ...wanted, orgName: joined.orgId });
  expect((await creditsOf(site.origin, key)).balance).toBe(1_010);
  const own = await createKey(site.store, { ...wanted, orgName: 'Made by the operator' });
  expect((await createKey(site.store, { ...wanted, orgName: 'Made by the operator' })).orgId).toBe(own.orgId);
});

test('an organisation opens at most 120 pages a minute, with all its sessions together', async () => {
  const { who } = await signedUp(site.origin);
  const seen: number[] = [];
  for (let at = 0; at < 12; at += 1) {
    const all = await Promise.all(Array.from({ length: 11 }, () => who.get('/connect')));
    seen.push(...all.map((page) => page.status));
  }
  expect(seen.filter((status) => status === 200)).toHaveLength(120);
  expect(seen.filter((status) => status === 429)).toHaveLength(12);
});

const recover = async (code: string): Promise<number> =>
  (await visitor(site.origin).send('/connect/recover', { code })).status;

function codeOn({ text, status }: Seen): string {
  const code = /TMR(?:-[0-9A-Z]{4}){4}/.exec(text)?.[0];
  if (code === undefined) throw new Error(`no recovery code on a page of status ${status}`);
  return code;
}
