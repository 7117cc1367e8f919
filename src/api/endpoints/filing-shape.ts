import { z } from 'zod';
import { accession, cik, dayAsFiled, decimal, quality, timestamp } from '../../domain/wire/brief-values.ts';
import { reportingOwnerShape, transactionShape } from '../../domain/wire/transaction.ts';

const footnoteRefs = z
  .array(
    z.strictObject({
      field: z
        .string()
        .describe('Member of this row, or the snake_case name of a form element without a member'),
      footnote_ids: z.array(z.string()),
    }),
  )
  .describe('The footnotes of each value');

const held = {
  ownership: z.enum(['direct', 'indirect']).nullable(),
  nature_of_ownership: z.string().nullable().describe('As filed, e.g. By Trust'),
  footnote_refs: footnoteRefs,
};

const traded = {
  deemed_execution_date: dayAsFiled.nullable(),
  equity_swap: z.boolean(),
  nature_of_ownership: held.nature_of_ownership,
  footnote_refs: footnoteRefs,
  superseded_by: accession.nullable().describe('The newest amendment that restates this row'),
};

const derivative = {
  underlying: z.strictObject({ title: z.string().nullable(), shares: decimal.nullable() }),
  conversion_or_exercise_price: decimal.nullable().describe('Null when missing or only in a footnote'),
  exercise_date: dayAsFiled.nullable(),
  expiration_date: dayAsFiled.nullable(),
};

const holding = {
  row: z.int().describe('Counted from 1 among all rows of the table, transactions included'),
  security_title: z.string(),
  shares_owned: decimal.nullable(),
  ...held,
};

const transactionRow = transactionShape.extend(traded);
const derivativeRow = transactionShape.extend({
  transaction_id: z
    .string()
    .regex(/^\d{10}-\d{2}-\d{6}:d:\d+$/)
    .describe('<accession>:d:<row>, with the row counted among all rows of the derivative table'),
  ...traded,
  ...derivative,
  quality: quality.describe('Buying an option is not a purchase of shares, so `side` is always other'),
});
const holdingRow = z.strictObject(holding);
const derivativeHoldingRow = z.strictObject({ ...holding, ...derivative });

/** One Form 4 as parsed (rule 11.8). */
export const filingBody = z.strictObject({
  data: z.strictObject({
    accession_number: accession,
    form_type: z.enum(['4', '4/A']),
    period_of_report: dayAsFiled.nullable(),
    filed_at: z.union([timestamp, dayAsFiled]).describe('A day when the time of acceptance is unknown'),
    issuer: z.strictObject({ cik, name: z.string(), ticker: z.string() }),
    owners: z.array(reportingOwnerShape),
    is_10b5_1: z.boolean().nullable().describe("The form's own element; null when it is absent"),
    not_subject_to_section_16: z.boolean().nullable(),
    non_derivative_transactions: z.array(transactionRow),
    non_derivative_holdings: z.array(holdingRow),
    derivative_transactions: z.array(derivativeRow),
    derivative_holdings: z.array(derivativeHoldingRow),
    footnotes: z.array(z.strictObject({ id: z.string(), text: z.string() })),
    remarks: z.string(),
    raw_hash: z.string().nullable().describe('sha256:<hex> of the fetched bytes; null without them'),
    parser_version: z.string().describe('Version of the parser that read the bytes'),
    retrieved_at: z.string().nullable().describe('When the bytes were fetched, ISO 8601 UTC'),
    superseded_by: accession
      .nullable()
      .describe('The newest amendment that restates a row of either table; the other rows are still valid'),
    source_url: z.url(),
  }),
});

export type FilingData = z.infer<typeof filingBody>['data'];
