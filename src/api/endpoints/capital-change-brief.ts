import { z } from 'zod';
import { briefShape } from '../../domain/wire/brief.ts';
import { meantHeaders } from '../cache/brief-lookup.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { tickerParam } from '../endpoint/param.ts';
import { BRIEF_DIGEST } from './brief.ts';

/** Sends stored bytes: the body was validated when it was built. */
export const capitalChangeBrief = defineEndpoint({
  name: 'capital_change_brief',
  path: '/stocks/{ticker}/capital-change-brief',
  title: 'Capital-change brief',
  summary: 'Who initiated, added, reduced or exited a position, and what insiders did, with evidence',
  description:
    'Which tracked managers initiated, added, reduced or exited the security between the two latest reported quarters; whether open-market Form 4 trades of the last 180 days support it; what limits the answer; and the filings that prove each claim.\n\nThe `outcome` is `complete`, `partial`, `uncertain`, `no_data` or `refused`. A ticker that no source knows is `no_data`.',
  details:
    'Each outcome has status 200. Where no source knows the ticker, the header `X-Did-You-Mean` names a known one that is near to it. The `brief_id` is a hash of the content and the `ETag`: call again with `If-None-Match`.',
  example: { ticker: 'AMZN' },
  digest: BRIEF_DIGEST,
  credits: 10,
  conditional: true,
  firstComputes: true,
  headers: ['X-Did-You-Mean'],
  params: { ticker: tickerParam },
  query: {},
  output: z.strictObject({ data: briefShape }),
  async handler(reading, { ticker }) {
    const brief = await reading.findBrief(ticker);
    return { kind: 'stored', brief, headers: meantHeaders(brief.meant) };
  },
});
