import { z } from 'zod';
import { SUPERSEDED_REASONS } from '../../domain/brief/superseded.ts';
import { briefShape } from '../../domain/wire/brief.ts';
import { contentId, day, evidenceId, timestamp } from '../../domain/wire/brief-values.ts';
import { resolvePublished } from '../../read/holders/resolution.ts';
import { type ListedBrief, listBriefs } from '../../store/publish/current-briefs.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam, linkHeader, pageParam, paginationOf, paginationShape } from '../endpoint/page.ts';
import { tickerParam } from '../endpoint/param.ts';
import { noSuchStock } from './stock.ts';

const { facts_id, outcome, institutional, insiders } = briefShape.shape;

const listed = z.strictObject({
  brief_id: contentId
    .nullable()
    .describe(
      'Null while the ticker shows the brief, or one with the same `facts_id`: `/stocks/{ticker}/capital-change-brief` answers that one, for its price',
    ),
  facts_id,
  generated_at: timestamp,
  as_of: day,
  outcome,
  stances: z.strictObject({
    institutional: institutional.shape.stance,
    insiders: insiders.shape.stance,
  }),
  superseded: z.boolean().describe('Whether the ticker shows another brief now'),
  superseded_reason: z
    .enum(SUPERSEDED_REASONS)
    .nullable()
    .describe(
      'What changed: `new_filings` or an `amendment`; `reparsed` or `algorithm`, when the same filings were read, counted or worded otherwise; `day_or_coverage`, when no figure changed but by the day; `other_filings`, when filings that the brief does not rest on changed what is known',
    ),
  superseded_evidence_ids: z
    .array(evidenceId)
    .describe('The filings since which it is superseded, or that were read otherwise; at most 20'),
});

/** Rule 8.10. */
export const stockBriefs = defineEndpoint({
  name: 'stock.briefs',
  path: '/stocks/{ticker}/briefs',
  title: 'Briefs of a stock',
  summary: 'The briefs of a ticker that are stored, and why each was replaced',
  description:
    'Newest first by the time when each was built. Two briefs with the same `facts_id` say the same about the stock. `superseded_reason` tells a correction from news: `amendment`, `reparsed` and `algorithm` change figures or words that were answered before. A brief that was answered to a reader stays for good; others are removed after 30 days.',
  details:
    'A page after the last one is empty, with correct totals. A ticker that no source knows is 404 `stock_not_found`.',
  example: { ticker: 'AMZN', limit: 2 },
  digest: {
    facts: ['ticker'],
    rows: {
      at: 'briefs',
      columns: [
        'brief_id',
        'as_of',
        'outcome',
        'stances.institutional',
        'stances.insiders',
        'superseded_reason',
      ],
    },
  },
  credits: 1,
  params: { ticker: tickerParam },
  query: { page: pageParam, limit: limitParam(20, 100) },
  output: z.strictObject({
    data: z.strictObject({ ticker: z.string(), briefs: z.array(listed), pagination: paginationShape }),
  }),
  errors: ['stock_not_found'],
  async handler({ db, siteUrl }, { ticker, page, limit }) {
    const { total, briefs, shown } = await listBriefs(db, ticker, { skip: (page - 1) * limit, limit });
    if (total === 0) {
      const { resolution } = await resolvePublished(db, ticker);
      if (resolution.kind !== 'resolved') return noSuchStock(db, resolution);
    }
    const pagination = paginationOf(page, limit, total);
    const data = { ticker, briefs: briefs.map((brief) => itemOf(brief, shown)), pagination };
    const address = `${siteUrl}/v1/stocks/${ticker}/briefs`;
    return { kind: 'body', body: { data }, headers: linkHeader(address, {}, pagination) };
  },
});

type Shown = Awaited<ReturnType<typeof listBriefs>>['shown'];

/**
 * A brief that nothing replaced yet is the one shown, or will be shown in a moment: its id is not told (rule 8.10).
 * Nor is that of one with the same facts, of yesterday for example.
 */
function itemOf({ _id, generatedAt, summary, superseded }: ListedBrief, shown: Shown) {
  const { facts_id, as_of, outcome, stances } = summary;
  const isShown = _id === shown?._id;
  const replaced = isShown ? undefined : superseded;
  const saysTheSame = facts_id === shown?.summary.facts_id;
  return {
    brief_id: saysTheSame || replaced === undefined ? null : _id,
    facts_id,
    generated_at: generatedAt,
    ...{ as_of, outcome, stances },
    superseded: !isShown,
    superseded_reason: replaced?.reason ?? null,
    superseded_evidence_ids: [...(replaced?.evidenceIds ?? [])],
  };
}
