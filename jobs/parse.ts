import { sequence } from '../queues/sequence.ts';
import type { Ownership, ParsedFiling, ThirteenF } from '../src/domain/filing.ts';
import type { Accession } from '../src/domain/ids.ts';
import { publishedAtOf } from '../src/domain/report-fold.ts';
import { normaliseSymbol } from '../src/domain/security.ts';
import { AppError } from '../src/errors.ts';
import { formFor } from '../src/forms/index.ts';
import { type FilingDoc, filingsIn } from '../src/store/filings.ts';
import { markFollowers } from '../src/store/follow.ts';
import { readRaw } from '../src/store/raw.ts';
import { type Claim, claimFiling, endStage, quarantineFiling } from '../src/store/stage.ts';
import { saveThirteenF } from '../src/store/thirteen-f.ts';
import type { Job, JobContext } from './context.ts';
import { wakeBriefs, wakeReports } from './wake.ts';

/** A filing whose parsing broke this often without an answer is set aside. */
const MAX_CRASHES = 3;

/** Parses the stored bytes and marks, in the same write, what has to follow. */
export const parse: Job<{ accession: Accession; run: number }> = async (context, { accession }) => {
  const { db, log } = context;
  const claim = await claimFiling(db, accession, 'fetched');
  if (claim === null) return passOn(context, accession);
  if (claim.filing.attempt > MAX_CRASHES) {
    await quarantineFiling(db, claim, { code: 'crash_loop', reason: 'parsing broke three times' });
    return;
  }
  const bytes = await readRaw(db, claim.filing.raw.at(-1) ?? '');
  const outcome = await context.parser.parse(bytes, accession);
  if (!outcome.ok) {
    await quarantineFiling(db, claim, { code: outcome.code, reason: outcome.message });
    log.warn({ accession, code: outcome.code, reason: outcome.message }, 'quarantined');
    return;
  }
  if (await saveParsed(context, claim, outcome.filing)) await passOn(context, accession);
};

async function saveParsed({ db, log }: JobContext, claim: Claim, filing: ParsedFiling): Promise<boolean> {
  const module = formFor(filing.header.form);
  const parserVersion = module?.parserVersion ?? '';
  try {
    const fields =
      filing.kind === 'thirteen_f'
        ? await thirteenFFields(filing, (table) => saveThirteenF(db, table, parserVersion))
        : ownershipFields(filing);
    const event = module?.isEvent === true && claim.filing.seq === null ? 'pending' : claim.filing.event;
    return await endStage(db, claim, {
      $set: {
        ...fields,
        state: 'parsed',
        attempt: 0,
        quarantine: null,
        form: filing.header.form,
        filedDate: filing.header.filedDate,
        parserVersion,
        publishedAt: publishedAtOf(filing.header),
        event,
        derive: 'pending',
      },
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'value_out_of_range') throw error;
    await quarantineFiling(db, claim, { code: error.code, reason: error.message });
    log.warn({ accession: claim.filing._id, code: error.code }, 'quarantined');
    return false;
  }
}

type Fields = Partial<FilingDoc>;

async function thirteenFFields(
  filing: ThirteenF,
  save: (filing: ThirteenF) => Promise<FilingDoc['thirteenF']>,
): Promise<Fields> {
  return { cik: filing.cik, company: filing.managerName, thirteenF: await save(filing) };
}

function ownershipFields(filing: Ownership): Fields {
  return {
    cik: filing.issuer.cik,
    company: filing.issuer.name,
    ownership: filing,
    issuerCik: filing.issuer.cik,
    ownerCiks: filing.owners.map((owner) => owner.cik),
    ticker: normaliseSymbol(filing.issuer.symbol) ?? '',
  };
}

async function passOn(context: JobContext, accession: Accession): Promise<void> {
  const filing = await filingsIn(context.db).findOne({ _id: accession });
  if (filing === null || filing.derive !== 'pending') return;
  const marked = await markFollowers(context.db, filing);
  if (filing.event === 'pending') await context.producer.enqueue(sequence, { slot: secondsNow(context) });
  if (marked.kind === 'report') await wakeReports(context, marked.keys);
  else await wakeBriefs(context, marked.keys);
}

function secondsNow(context: JobContext): number {
  return Math.floor(context.now().getTime() / 1_000);
}
