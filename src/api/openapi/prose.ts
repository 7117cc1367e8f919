import { EVENT_PROMISE } from '../endpoints/event-shape.ts';

const DESCRIPTION = `Who is really building or leaving a position, with proof: SEC Form 13F and Form 4 filings as content-addressed capital-change briefs, fund holdings, insider trades and a stream of filing events.

**Answers.** JSON, with the payload in \`data\`. Share counts and cents are decimal strings; other whole numbers are JSON numbers. Errors have one shape, \`{ error, message, request_id, details? }\`, and list every problem of a request.

**Credits.** Only 2xx and 304 are charged, after the whole answer is built. \`x-credit-cost\` is the price of an operation. Errors cost nothing.

**Events.** ${EVENT_PROMISE}

**Not advice.** 13F filings report quarter-end positions, up to 45 days old. Forms 4 report trades some days later. Nothing here is real-time.`;

export const INFO = {
  title: 'Tidemark',
  version: '1.0.0',
  summary: 'SEC 13F and Form 4 filings as capital-change briefs',
  description: DESCRIPTION,
  license: { name: 'MIT', identifier: 'MIT' },
} as const;
