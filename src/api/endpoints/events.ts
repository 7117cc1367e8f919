import { z } from 'zod';
import { parseTicker, type Ticker } from '../../domain/ids.ts';
import { coverageOfDays } from '../../domain/insider/coverage.ts';
import { coveredShape } from '../../domain/wire/limitation.ts';
import { headSeq, readEvents } from '../../store/filing/events.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';
import { defineEndpoint } from '../endpoint/endpoint.ts';
import { limitParam } from '../endpoint/page.ts';
import { tickerText } from '../endpoint/param.ts';
import {
  aheadNote,
  awaitsOf,
  cursorAheadShape,
  EVENT_PROMISE,
  EVENT_ROWS,
  eventItem,
  eventShape,
  nextCursorShape,
  sinceParam,
  WAIT_WORDS,
  waitParam,
} from './event-shape.ts';

export const MAX_TICKERS = 50;
const FORM = /^[A-Za-z0-9][A-Za-z0-9 ./-]{0,19}$/;

const tickers = z
  .array(tickerText)
  .max(MAX_TICKERS)
  .transform((texts): Ticker[] => [...new Set(texts.map(parseTicker).filter((ticker) => ticker !== null))])
  .optional()
  .describe('At most 50 tickers, separated by commas in a URL');

const note = z.discriminatedUnion('code', [
  z.strictObject({
    code: z.literal('unsupported_form'),
    form: z.string(),
    supported_forms: z.array(z.string()),
    message: z.string(),
  }),
  cursorAheadShape,
]);
export const events = defineEndpoint({
  name: 'events.latest',
  path: '/events',
  title: 'Filing events',
  summary: 'The stream of filing events, read by cursor: every event at least once, in order of seq',
  description: `Without \`since\`: the latest events that match, ascending by \`seq\`. With it: the events after it. Poll with \`since\` set to the last \`next_cursor\`, which every answer has. \`form=4\` returns 4 and 4/A. With \`wait\` the call is held until an event matches, at most so many seconds. Events may repeat, with the same \`accession_number\`; none is left out.`,
  details: `${WAIT_WORDS} For a form that is not ingested it comes at once.\n\n${EVENT_PROMISE} For a form that is not ingested the answer has a note, so the empty page is not mistaken for silence.`,
  example: { since: '0', limit: 2 },
  digest: {
    facts: ['next_cursor', 'note.message', 'coverage_status', 'limitations'],
    rows: { at: 'events', columns: ['seq', 'form', 'ticker', 'issuer', 'filed_at', 'accession_number'] },
  },
  credits: 1,
  params: {},
  query: {
    form: z
      .string()
      .regex(FORM, 'must be an SEC form type')
      .optional()
      .describe('SEC form type; all forms without it'),
    since: sinceParam,
    tickers,
    limit: limitParam(EVENT_ROWS, 200),
    wait: waitParam,
  },
  output: z.strictObject({
    data: z.strictObject({
      events: z.array(eventShape),
      next_cursor: nextCursorShape,
      note: note.optional(),
      ...coveredShape,
    }),
  }),
  async handler({ db, forms }, input) {
    const streamed = forms.filter((form) => form.isEvent).flatMap((form) => form.carries);
    const wanted = input.form === undefined ? [] : matching(streamed, input.form);
    if (wanted === null) {
      const cursor = input.since ?? (await headSeq(db));
      const note = unsupported(streamed, input.form ?? '');
      const covered = { coverage_status: 'not_covered' as const, limitations: [note.message] };
      return { kind: 'body', body: { data: { events: [], next_cursor: String(cursor), note, ...covered } } };
    }
    const { since, limit, tickers = [] } = input;
    const read = await readEvents(db, { forms: wanted, tickers, since: since ?? null, limit });
    const covered = coverageOfDays(await publishedCorpus(db), { listed: read.events.length });
    const found = { events: read.events.map(eventItem), next_cursor: String(read.nextCursor), ...covered };
    const awaits = awaitsOf(read, input, ({ form, ticker }) => {
      return isAmong(wanted, form) && isAmong(tickers, ticker);
    });
    return { kind: 'body', body: { data: { ...found, ...aheadNote(since, read.head) } }, ...awaits };
  },
});

/** An empty list selects everything, as for {@link readEvents}. */
function isAmong(wanted: readonly string[], value: string): boolean {
  return wanted.length === 0 || wanted.includes(value);
}

/** `4` selects 4 and 4/A, `4/A` only the amendments; null for a form that is not ingested. */
function matching(streamed: readonly string[], form: string): string[] | null {
  const wanted = form.trim().toUpperCase();
  if (!streamed.includes(wanted)) return null;
  return streamed.filter((known) => known === wanted || known === `${wanted}/A`);
}

function unsupported(streamed: readonly string[], form: string): z.infer<typeof note> {
  const message = `Form ${form} is not ingested, so an empty list does not mean that none was filed.`;
  return { code: 'unsupported_form', form, supported_forms: [...streamed], message };
}
