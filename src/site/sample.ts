import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type Asset, readAsset } from './assets.ts';

const FILE = new URL('sample-brief.json', import.meta.url);

/** What the landing page shows of a brief; the rest is in the file that it links to. */
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

/** A brief that was made of the bundled filings, as it was answered: its ids can be checked by anyone. */
export const SAMPLE: Sample = shown.parse(JSON.parse(readFileSync(FILE, 'utf8')));

export const SAMPLE_FILE: Asset = readAsset(
  [FILE],
  '/sample/capital-change-brief.json',
  'application/json; charset=utf-8',
);
