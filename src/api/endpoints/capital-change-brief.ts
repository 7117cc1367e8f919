import { z } from 'zod';
import { briefShape } from '../../domain/brief-shape.ts';
import { defineEndpoint } from '../endpoint.ts';
import { tickerParam } from '../param.ts';

/** Stored bytes: the body was checked against its shape when it was built. */
export const capitalChangeBrief = defineEndpoint({
  name: 'capital_change_brief',
  method: 'GET',
  path: '/stocks/{ticker}/capital-change-brief',
  summary: 'Who initiated, added, reduced or exited a position, and what insiders did, with evidence',
  credits: 10,
  params: { ticker: tickerParam },
  query: {},
  output: z.strictObject({ data: briefShape }),
  errors: [],
  handler: async (reading, { ticker }) => ({ kind: 'stored', brief: await reading.findBrief(ticker) }),
});
