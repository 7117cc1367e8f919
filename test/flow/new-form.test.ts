import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOBS } from '../../jobs/index.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import type { ParseOutcome, Submission } from '../../jobs/worker/parse-worker.ts';
import { startWorkers } from '../../jobs/worker/run.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Accession } from '../../src/domain/ids.ts';
import { FORMS, type FormModule, ParseError, parseFiling } from '../../src/forms/index.ts';
import { parseOwnership, storedOwnership } from '../../src/forms/ownership/document.ts';
import { filingsIn } from '../../src/store/filing/filings.ts';
import { publishedCorpus } from '../../src/store/publish/corpus.ts';
import { constructedSubmission, filingBytes, filingText } from '../filings/read.ts';
import { opened } from '../opened.ts';
import { dispatchToEnd, type Flow, openFlow, openStages } from './flow.ts';
import { openFolder } from './folder.ts';
import { openReader } from './reader.ts';

/** The initial holdings of an insider: a form that the product does not carry. */
const form3: FormModule<Ownership> = {
  name: 'form-3',
  carries: ['3', '3/A'],
  about: 'Initial holdings of insiders (Form 3) and their amendments.',
  parserVersion: 'form3-1',
  feed: { type: '3', owner: 'only' },
  leg: null,
  isEvent: true,
  followers: [],
  parse: (submission) => parseOwnership(submission, ['3', '3/A']),
  stored: storedOwnership,
};
const WITH_FORM_3 = [...FORMS, form3];

/** A full submission; the others are real documents in constructed containers. */
const FICO = '0001214659-20-002308' as Accession;
const TESLA = '0001181431-10-034759' as Accession;
const BLACKSKY = '0000899243-21-036608' as Accession;
const BROKEN = '0009999999-21-000001' as Accession;
const FICO_FORM_4 = '0001214659-20-002786' as Accession;

const folder = opened(() => openFolder({ accessions: [FICO_FORM_4], symbols: ['FICO', 'TSLA'] }));
let flow: Flow;
let foundByFeed: readonly object[];

beforeAll(async () => {
  await folder.add(`${FICO}.txt`, filingBytes(`form-4/${FICO}.txt`));
  await folder.add(`${TESLA}.txt`, contained(TESLA, '20100628'));
  await folder.add(`${BLACKSKY}.txt`, contained(BLACKSKY, '20210909'));
  await folder.add(`${BROKEN}.txt`, contained(BLACKSKY, '20210910', BROKEN).replace('</issuer>', ''));
  flow = await openFlow(folder, '2021-12-31');
  await runWithForm3();
}, 300_000);
const reader = opened(() => openReader(flow, WITH_FORM_3));

afterAll(async () => {
  await flow?.close();
});

function contained(name: Accession, filed: string, accession = name): string {
  const xml = filingText(`xml-only/${name}.xml`);
  return constructedSubmission({ accession, form: '3', period: filed, filed, documents: [['3', xml]] });
}

/** The pipeline of the product, its list of forms longer by one. */
async function runWithForm3(): Promise<void> {
  const pipeline = await openStages(flow);
  const context: JobContext = { ...pipeline.context, forms: WITH_FORM_3, parser: parserHere() };
  await JOBS.poll(context, { slot: 1 });
  const fields = { form: 1, leg: 1, state: 1 } as const;
  foundByFeed = await filingsIn(flow.db).find({}, { projection: fields }).sort({ _id: 1 }).toArray();
  const workers = startWorkers(context, pipeline.redis);
  try {
    await dispatchToEnd(pipeline);
  } finally {
    await workers.close();
    await pipeline.close();
  }
}

/** Parses in this thread: a thread of the pool has the list of the product. */
function parserHere(): JobContext['parser'] {
  const outcomeOf = ({ bytes, accession }: Submission): ParseOutcome => {
    try {
      return { ok: true, filing: parseFiling(bytes, accession, WITH_FORM_3) };
    } catch (error) {
      if (error instanceof ParseError) {
        return { ok: false, code: error.code, message: error.message, header: null };
      }
      throw error;
    }
  };
  return {
    parse: async (bytes, accession) => outcomeOf({ bytes, accession }),
    parseAll: async (submissions) => submissions.map(outcomeOf),
    started: async () => undefined,
    close: async () => undefined,
  };
}

const docOf = (accession: Accession) => filingsIn(flow.db).findOne({ _id: accession });

async function eventsOf(path: string): Promise<[string, string, string][]> {
  const { body } = await reader.get(path);
  return body.data.events.map((event: Record<string, string>) => [
    event['accession_number'],
    event['form'],
    event['ticker'],
  ]);
}

describe('a form for which only a module in the list was added', () => {
  test('is found in the feed by the filter of its module', () => {
    expect(foundByFeed).toEqual([
      { _id: BLACKSKY, form: '3', leg: null, state: 'discovered' },
      { _id: TESLA, form: '3', leg: null, state: 'discovered' },
      { _id: FICO, form: '3', leg: null, state: 'discovered' },
      { _id: FICO_FORM_4, form: '4', leg: 'form4', state: 'discovered' },
      { _id: BROKEN, form: '3', leg: null, state: 'discovered' },
    ]);
  });

  test('is stored as its module says, with every holding of both tables', async () => {
    const tesla = await docOf(TESLA);
    expect(tesla).toMatchObject({
      state: 'parsed',
      form: '3',
      leg: null,
      followers: [],
      parserVersion: 'form3-1',
      company: 'TESLA MOTORS INC',
      issuerCik: '0001318605',
      reportingOwnerCiks: ['0001494730'],
      rows: null,
    });
    if (tesla?.content?.kind !== 'ownership') throw new Error('not an ownership document');
    const { rows, isAmendment } = tesla.content;
    expect(isAmendment).toBe(false);
    expect(rows.every(({ rowKind, code }) => rowKind === 'holding' && code === null)).toBe(true);
    expect(rows[0]).toMatchObject({ table: 'non_derivative', row: 1, sharesOwnedAfter: '2666666' });
    expect(rows[1]).toMatchObject({ table: 'derivative', row: 1, underlyingShares: '4880343' });
    expect((await docOf(BLACKSKY))?.reportingOwnerCiks).toHaveLength(7);
  });

  test('is in the stream once, and found by its form', async () => {
    // Filings get their numbers as they are parsed, so their order is not fixed.
    expect((await eventsOf('/events?since=0')).sort()).toEqual([
      [BLACKSKY, '3', 'BKSY'],
      [TESLA, '3', 'TSLA'],
      [FICO, '3', 'FICO'],
      [FICO_FORM_4, '4', 'FICO'],
    ]);
    expect(await eventsOf('/events?since=0&form=3&tickers=FICO')).toEqual([[FICO, '3', 'FICO']]);
  });

  test('is excluded from all figures: it is no trade, no Form 4 and no gap in the coverage of Form 4', async () => {
    const { body } = await reader.get('/insider/transactions?ticker=FICO&code=all');
    const accessions = body.data.transactions.map(
      (item: { accession_number: string }) => item.accession_number,
    );
    expect(new Set(accessions)).toEqual(new Set([FICO_FORM_4]));
    expect((await reader.get(`/filing/${FICO}`)).body).toMatchObject({ error: 'unsupported_form' });
    expect(await docOf(BROKEN)).toMatchObject({ quarantine: { code: 'malformed_xml' } });
    const published = await publishedCorpus(flow.db);
    expect(published?.corpus.state.quarantined).toEqual({ thirteenF: 0, form4: 0 });
  });

  test('is not carried by the product', async () => {
    const product = await openReader(flow);
    const { body } = await product.get('/events?form=3');
    await product.close();
    expect(body.data).toMatchObject({
      events: [],
      note: { code: 'unsupported_form', supported_forms: ['4', '4/A'] },
    });
  });
});
