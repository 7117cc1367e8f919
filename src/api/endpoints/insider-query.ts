import { z } from 'zod';
import { type IsoDate, isIsoDate } from '../../domain/ids.ts';
import { MAX_LISTED } from '../../store/trade/list.ts';
import { limitParam, pageParam } from '../endpoint/page.ts';
import { cikParam, parsedBy, tickerParam } from '../endpoint/param.ts';
import type { Detail } from '../http/problem.ts';

const CODES = /^(all|ALL|[A-Za-z](,[A-Za-z]){0,25})$/;
const CENTS = /^(0|[1-9]\d{0,17})$/;

const DAY_REASON = 'must be a calendar day, YYYY-MM-DD';

const dayParam = z.iso
  .date(DAY_REASON)
  .transform(parsedBy((text) => (isIsoDate(text) ? text : null), DAY_REASON))
  .optional();

/** Transaction codes of Form 4, or `all`. */
const codeParam = z
  .string()
  .regex(CODES, 'must be transaction codes such as P or P,S, or all')
  .default('P,S')
  .transform((text): 'all' | readonly string[] => {
    const codes = text.toUpperCase().split(',');
    return codes[0] === 'ALL' ? 'all' : [...new Set(codes)].sort();
  })
  .describe(
    'Transaction codes, separated by commas, or all. Default: P and S (open-market purchase and sale)',
  );

export const insiderQuery = {
  ticker: tickerParam.optional(),
  cik: cikParam.optional().describe('CIK of a reporting owner, not of the issuer'),
  since: dayParam.describe('First transaction date, inclusive'),
  until: dayParam.describe('Last transaction date, inclusive'),
  code: codeParam,
  side: z
    .enum(['buy', 'sell', 'other'])
    .optional()
    .describe('buy is code P, sell is code S, other is every other code; use other with code=all'),
  min_value_cents: z
    .string()
    .regex(CENTS, 'must be a whole number of cents, at most 18 digits')
    .transform(BigInt)
    .optional()
    .describe('Minimum value in cents; a trade without a price has no value and is excluded'),
  exclude_10b5_1: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe(
      'true excludes trades that the form marks as made under a Rule 10b5-1 plan; forms without the mark stay',
    ),
  page: pageParam,
  limit: limitParam(50, 200),
};

type Given = {
  readonly page: number;
  readonly limit: number;
  readonly since?: IsoDate | undefined;
  readonly until?: IsoDate | undefined;
};

export function insiderRule({ page, limit, since, until }: Given): Detail[] {
  const details: Detail[] = [];
  if (page * limit > MAX_LISTED) {
    details.push({ param: 'page', reason: `page times limit must not exceed ${MAX_LISTED}` });
  }
  if (since !== undefined && until !== undefined && since > until) {
    details.push({ param: 'since', reason: 'must not be after until' });
  }
  return details;
}
