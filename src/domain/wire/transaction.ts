import { z } from 'zod';
import { accession, cik, dayAsFiled, decimal, evidenceId, quality, timestamp } from './brief-values.ts';

export const reportingOwnerShape = z.strictObject({
  cik,
  name: z.string(),
  is_director: z.boolean(),
  is_officer: z.boolean(),
  is_ten_percent_owner: z.boolean(),
  officer_title: z.string().nullable(),
  roles: z
    .array(z.string())
    .describe(
      'From the flags and the title: CEO, CFO, COO or the title of another officer as filed, director, 10 % owner',
    ),
});

/** Of an open-market trade, in no order (rule 6.11). */
const tradeKind = z.enum(['discretionary', 'plan', 'tax_cover', 'exercise_and_sell']);

/** One non-derivative Form 4 transaction, in the brief and in /insider/transactions (rule 11.8). */
export const transactionShape = z.strictObject({
  transaction_id: z
    .string()
    .regex(/^\d{10}-\d{2}-\d{6}:nd:\d+$/)
    .describe('<accession>:nd:<row>. The row is counted among all rows of the non-derivative table'),
  accession_number: accession,
  form_type: z.enum(['4', '4/A']),
  issuer: z.strictObject({ cik, name: z.string(), ticker: z.string() }),
  owners: z.array(reportingOwnerShape).describe('All reporting owners of the trade, which is counted once'),
  security_title: z.string(),
  transaction_date: dayAsFiled.nullable().describe('As filed, implausible dates included'),
  filed_at: z.union([timestamp, dayAsFiled]).describe('A day when the time of acceptance is unknown'),
  code: z.string().nullable().describe('Transaction code of Form 4, e.g. P or S'),
  side: z.enum(['buy', 'sell', 'other']),
  kind: tradeKind
    .nullable()
    .describe(
      'Of purchases and sales: tax_cover is a sale to pay taxes, by a footnote; exercise_and_sell a sale of shares exercised on the same day; plan a trade under a Rule 10b5-1 plan, by box or footnote; discretionary any other. Null for other codes',
    ),
  acquired_disposed: z.enum(['A', 'D']).nullable(),
  shares: decimal.nullable(),
  price_per_share: decimal
    .nullable()
    .describe('As filed, in the currency of the form; null when missing or only in a footnote'),
  value_usd: z.number().nullable().describe('Shares times price, half-even to cents; null when unpriced'),
  shares_owned_after: decimal.nullable(),
  pct_of_holding: z
    .number()
    .nullable()
    .describe(
      'Of a sale: its shares in percent of those held before, in the same line of ownership, 4 decimals half-even. Null when the shares owned after are missing',
    ),
  ownership: z.enum(['direct', 'indirect']).nullable(),
  is_10b5_1: z.boolean().nullable().describe("The form's own element; null when it is absent"),
  is_derivative: z.boolean(),
  priced: z.boolean().describe('Whether a price above zero in US dollars is known'),
  footnotes: z
    .array(
      z.strictObject({
        id: z.string(),
        text: z
          .string()
          .nullable()
          .describe(
            'Null only in a brief: the text stands at `same_as`, or in /filing/{accession} because the brief would be too long',
          ),
        same_as: z
          .strictObject({ transaction_id: z.string(), id: z.string() })
          .optional()
          .describe('Only in a brief: the transaction and its footnote that have the equal text'),
        qualifies: z
          .array(z.string())
          .describe('Fields of this item. For form elements without a field, their names in snake_case'),
      }),
    )
    .describe('The footnotes of this row, each with the values that it qualifies'),
  amendment: z.strictObject({
    is_amendment: z.boolean(),
    amends: accession.nullable().describe('The stored filing whose row this row restates'),
  }),
  quality,
  evidence_ids: z.array(evidenceId),
  source_url: z.url(),
});

export type TradeKind = z.infer<typeof tradeKind>;
export type TransactionItem = z.infer<typeof transactionShape>;
