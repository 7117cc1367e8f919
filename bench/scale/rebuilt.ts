import { BSON, type Db, type Document } from 'mongodb';
import { openServices } from '../../packages/embedded/open.ts';
import { withTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { loadConfig } from '../../src/config.ts';
import { invalidateFilingFollowers } from '../../src/derive/report/filing-followers.ts';
import { invalidateReportFollowers } from '../../src/derive/report/report-followers.ts';
import { form4 } from '../../src/domain/brief/brief.sample.ts';
import { addDays } from '../../src/domain/calendar.ts';
import { sha256Hex } from '../../src/domain/canonical.ts';
import { batches } from '../../src/domain/group.ts';
import type { Cik, IsoDate, Ticker } from '../../src/domain/ids.ts';
import { openMongo } from '../../src/mongo.ts';
import { showBrief } from '../../src/read/brief/brief.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { ensureIndexes } from '../../src/store/mongo/indexes.ts';
import { publishCorpus, publishedCorpus } from '../../src/store/publish/corpus.ts';
import { findReport } from '../../src/store/report/reports.ts';
import { apple, cik, LATEST, PRIOR, publish, STATE, seedSymbols, show } from '../../test/api/stock-corpus.ts';
import { discoveredDoc } from '../../test/filings/doc.ts';
import { cpuOf, monitored, openProbe, type Probe, type Spent } from './probe.ts';

const AAPL = 'AAPL' as Ticker;
const ISSUER = '0000320193' as Cik;
const FIRST_DAY = '2018-12-01' as IsoDate;
/** So many of each change in one measure, because the CPU of the database is counted in ticks. */
const TIMES = 10;
/** A process that has built the brief before remembers its holders. */
const WARM_UP = 2;

/** CPU of building the brief of a stock, stored and shown, in milliseconds. */
export type Rebuilt = {
  /** When nothing is known of its holders. */
  readonly first: number;
  readonly newDay: number;
  readonly form4: number;
  /** After one of the holders reported again… */
  readonly holder: number;
  /** …and the documents that were read then. */
  readonly holderDocuments: number;
};

/** Builds the brief of a stock with so many holders in a database of its own, then after each kind of change. */
export function measureRebuilt(holders: number): Promise<Rebuilt> {
  return withTemporaryFolder('rebuilt', async (home) => {
    const services = await openServices({ ...loadConfig(), home }, () => undefined);
    const mongo = await openMongo(monitored(services.mongoUrl), `rebuilt_${process.pid}`);
    try {
      await ensureIndexes(mongo.db);
      await seedSymbols(mongo.db);
      await publish(mongo.db);
      await seedHolders(mongo.db, holders);
      return await measureIn(mongo.db, openProbe(mongo.client, home));
    } finally {
      await mongo.client.close();
      await services.release();
    }
  });
}

async function measureIn(db: Db, probe: Probe): Promise<Rebuilt> {
  let version = 0;
  const build = async (): Promise<Spent> => {
    version += 1;
    return (await probe(() => showBrief(db, AAPL, { version, at: `${FIRST_DAY}T12:00:00.000Z` }))).spent;
  };
  /** What one build costs after each of these changes, on average; the first still compile. */
  const after = async (happens: (n: number) => Promise<unknown>) => {
    let [ms, documents] = [0, 0];
    for (let n = 1 - WARM_UP; n <= TIMES; n += 1) {
      await happens(n);
      const built = await build();
      if (n < 1) continue;
      ms += cpuOf(built) / TIMES;
      documents += built.documents / TIMES;
    }
    return { ms, documents };
  };
  const first = cpuOf(await build());
  const newDay = await after((n) => turnTo(db, addDays(FIRST_DAY, n + WARM_UP)));
  const form = await after((n) => fileForm(db, n + WARM_UP));
  const holder = await after((n) => reportAgain(db, BigInt(5_000 + n)));
  return {
    ...{ first, newDay: newDay.ms, form4: form.ms },
    ...{ holder: holder.ms, holderDocuments: holder.documents },
  };
}

async function turnTo(db: Db, asOf: IsoDate): Promise<void> {
  await publishCorpus(db, { asOf, state: STATE }, { at: '', before: await publishedCorpus(db) });
}

async function fileForm(db: Db, number: number): Promise<void> {
  const row = { code: 'P', transactionDate: '2018-11-20' as IsoDate };
  const issuer = { cik: ISSUER, name: 'Apple Inc.', symbol: 'AAPL' };
  const content = form4({ number, filed: '2018-11-21', issuer, rows: [row] });
  const { accession, filedDate } = content.header;
  const doc: FilingDoc = {
    ...discoveredDoc(accession, '4'),
    ...{ state: 'parsed', leg: 'form4', followers: ['brief'], issuerCik: ISSUER, filedDate, content },
  };
  await filingsIn(db).insertOne(doc);
  await invalidateFilingFollowers(db, [doc]);
}

/** The first manager, as the diff job shows it. */
async function reportAgain(db: Db, amount: bigint): Promise<void> {
  await show(db, 1, { [PRIOR]: [apple(1_000n, 200n)], [LATEST]: [apple(amount, 300n)] });
  const key = { cik: cik(1), quarterEnd: LATEST };
  await invalidateReportFollowers(db, [{ key, report: await findReport(db, key), before: null }]);
}

/** Managers that each hold the stock alone: all documents of one of them, under other numbers. */
async function seedHolders(db: Db, holders: number): Promise<void> {
  await reportAgain(db, 2_000n);
  for (const quarterEnd of [PRIOR, LATEST] as const) {
    const report = await findReport(db, { cik: cik(1), quarterEnd });
    for (const { accession } of report?.filings ?? []) {
      const filed = { ...discoveredDoc(accession, '13F-HR'), cik: cik(1), state: 'parsed' as const };
      // As a live filing: one that was imported without its bytes is read each time.
      await filingsIn(db).insertOne({ ...filed, parsedRaw: sha256Hex(accession) });
    }
  }
  // Its reports say what their filings are, as those that the diff job folds.
  await reportAgain(db, 2_000n);
  for (const name of ['filings', 'reports', 'positions', 'funds', 'last_held']) {
    const own = await db.collection<Document>(name).find().toArray();
    const texts = own.map((doc) => BSON.EJSON.stringify(doc, { relaxed: false }));
    for (const numbers of batches(
      Array.from({ length: holders - 1 }, (_, n) => n + 2),
      500,
    )) {
      const docs = numbers.flatMap((n) => texts.map((text) => numbered(text, n)));
      await db.collection(name).insertMany(docs, { ordered: false });
    }
  }
}

function numbered(text: string, n: number): Document {
  const own = text
    .replaceAll(cik(1), cik(n))
    .replaceAll('"2000\\"', `"${2_000 + n}\\"`)
    .replaceAll(/([Mm]anager[ -])1\b/g, `$1${n}`);
  return BSON.EJSON.parse(own, { relaxed: false }) as Document;
}
