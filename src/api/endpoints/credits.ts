import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { findOrganization } from '../../store/account/organizations.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';

const output = z.strictObject({
  data: z.strictObject({
    balance: z.int(),
    balance_usd: z.string(),
    currency: z.literal('USD'),
    usd_per_credit: z.literal('0.01'),
    organization: z.strictObject({ id: z.string(), name: z.string() }),
    topup_url: z.string(),
    note: z
      .strictObject({ code: z.literal('low_balance'), message: z.string() })
      .optional()
      .describe('Only while the balance is low'),
  }),
});

export const credits = defineEndpoint({
  name: 'credits.balance',
  path: '/credits',
  title: 'Credit balance',
  summary: "Credit balance of the key's organisation, and its value in US dollars",
  description: 'Free and unmetered. One credit is one US cent.',
  example: {},
  digest: { facts: ['balance', 'balance_usd', 'organization.name', 'note.message', 'topup_url'] },
  credits: 0,
  params: {},
  query: {},
  output,
  async handler({ db, orgId, balance, creditsLow, siteUrl }) {
    const organization = await findOrganization(db, orgId);
    if (organization === null) throw new AppError('organization_lost', `No organisation ${orgId}`);
    const data = {
      balance,
      balance_usd: usdOf(balance),
      currency: 'USD' as const,
      usd_per_credit: '0.01' as const,
      organization: { id: orgId, name: organization.name },
      topup_url: `${siteUrl}/connect`,
    };
    if (balance >= creditsLow) return { kind: 'body', body: { data } };
    const message = `The balance is below ${creditsLow} credits. Get more at ${data.topup_url}.`;
    return { kind: 'body', body: { data: { ...data, note: { code: 'low_balance' as const, message } } } };
  },
});

/** A credit is a cent: `1234` is `12.34`. A balance is never negative. */
function usdOf(balance: number): string {
  return `${Math.floor(balance / 100)}.${String(balance % 100).padStart(2, '0')}`;
}
