/** The promise of the event stream, in the words that every document prints (rule 11.7). */
export const EVENT_PROMISE =
  'Following `next_cursor` delivers every event at least once, in `seq` order; duplicates are possible only after a restore and carry the same `accession_number`; `seq` is increasing, not gap-free; `filed_at` is not monotonic in `seq`, because late filings get new numbers; a `seq` is never reused or renumbered.';

const DESCRIPTION = `Who is really building or leaving a position, with proof: SEC Form 13F and Form 4 filings as content-addressed capital-change briefs, fund holdings, insider trades and a stream of filing events.

**Answers.** JSON, the payload below \`data\`. Share counts and cents are decimal strings, other whole numbers are JSON numbers. Errors have one shape, \`{ error, message, request_id, details? }\`, and list everything that is wrong with a request at once.

**Credits.** Only 2xx and 304 are charged, after the whole answer was built; \`x-credit-cost\` is the price of an operation. Errors cost nothing.

**Events.** ${EVENT_PROMISE}

**Not advice.** Filings tell of quarter-end positions, up to 45 days old, and of trades by their filing dates. Nothing here is real-time.`;

export const INFO = {
  title: 'Tidemark',
  version: '1.0.0',
  summary: 'SEC 13F and Form 4 filings as capital-change briefs',
  description: DESCRIPTION,
  license: { name: 'MIT', identifier: 'MIT' },
} as const;
