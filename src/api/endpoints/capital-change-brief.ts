import { z } from 'zod';
import { briefShape } from '../../domain/wire/brief.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { tickerParam } from '../endpoint/param.ts';

/** Stored bytes: the body was checked against its shape when it was built. */
export const capitalChangeBrief = defineEndpoint({
  name: 'capital_change_brief',
  method: 'GET',
  path: '/stocks/{ticker}/capital-change-brief',
  title: 'Capital-change brief',
  summary: 'Who initiated, added, reduced or exited a position, and what insiders did, with evidence',
  description:
    'Which tracked managers initiated, added, reduced or exited the security between the two latest reported quarters, whether open-market Form 4 trades of the last 180 days support it, what limits the answer, and the filings that prove each claim.\n\nThe outcome is explicit: `complete`, `partial`, `uncertain`, `no_data` or `refused`, all of them 200. The `brief_id` is a hash of the content and the `ETag`: ask again with `If-None-Match`.',
  example: { ticker: 'AAPL' },
  credits: 10,
  conditional: true,
  params: { ticker: tickerParam },
  query: {},
  output: z.strictObject({ data: briefShape }),
  errors: [],
  handler: async (reading, { ticker }) => ({ kind: 'stored', brief: await reading.findBrief(ticker) }),
});
