import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Asset, readAsset } from './assets.ts';

const FILE = new URL('sample-brief.json', import.meta.url);

/** The parts of a brief that the landing page shows. It links to the whole file. */
const shown = z.object({
  brief_id: z.string(),
  outcome: z.string(),
  headline: z.string(),
  entity: z.object({ ticker: z.string(), name: z.string() }),
  institutional: z.object({
    stance: z.string(),
    changes: z.array(
      z.object({
        fund: z.object({ name: z.string() }),
        action: z.string(),
        current_shares: z.string(),
        previous_shares: z.string(),
        share_delta: z.string(),
        evidence_ids: z.array(z.string()),
      }),
    ),
  }),
  insiders: z.object({ stance: z.string(), window_end: z.string() }),
  corroboration: z.string(),
  coverage: z.object({ limitations: z.array(z.string()) }),
  evidence: z.array(z.object({ evidence_id: z.string(), human_url: z.url(), form_type: z.string() })),
});

export type Sample = z.output<typeof shown>;

/** A brief of the bundled filings, exactly as it was answered. Its ids can be checked offline. */
export const SAMPLE: Sample = shown.parse(JSON.parse(readFileSync(FILE, 'utf8')));

export const SAMPLE_FILE: Asset = readAsset(
  [FILE],
  '/sample/capital-change-brief.json',
  'application/json; charset=utf-8',
);
