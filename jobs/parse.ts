import { sequence } from '../queues/sequence.ts';
import { invalidateFollowers } from '../src/derive/report/invalidate-followers.ts';
import { saveThirteenF } from '../src/derive/report/stored-report.ts';
import type { ParsedFiling } from '../src/domain/filing/filing.ts';
import type { Accession, Cik } from '../src/domain/ids.ts';
import { publishedAtOf } from '../src/domain/report/fold.ts';
import { normaliseSymbol } from '../src/domain/security/resolve.ts';
import { AppError } from '../src/errors.ts';
import { formFor } from '../src/forms/index.ts';
import { type Claim, claimFiling, endStage, quarantineFiling } from '../src/store/filing/claims.ts';
import { type FilingDoc, filingsIn } from '../src/store/filing/filings.ts';
import { readRaw } from '../src/store/filing/raw.ts';
import { symbolsOfCik } from '../src/store/security/securities.ts';
import { underClaim } from './claimed.ts';
import { enqueuePendingBriefs, enqueuePendingReports } from './pending/enqueue.ts';
import type { Job, JobContext } from './worker/context.ts';

/** A filing whose parsing broke this often without an answer is set aside. */
const MAX_CRASHES = 3;
/** Longer than the parser's wall and the writing of the largest table. */
const LEASE_MS = 90_000;
/** The bytes are not there or not the ones that were fetched: they are fetched again. */
const RAW_LOST = new Set(['raw_missing', 'raw_damaged']);

/** Parses the stored bytes and marks, in the same write, what has to follow. */
export const parse: Job<{ accession: Accession; run: number }> = async (context, { accession }) => {
  const { db } = context;
  const claim = await claimFiling(db, accession, { state: 'fetched', leaseMs: LEASE_MS });
  if (claim === null) return passOn(context, accession);
  await underClaim(context, claim, async () => {
    if (claim.filing.attempt > MAX_CRASHES) {
      await setAside(context, claim, {
        code: 'crash_loop',
        reason: 'the parser broke or was killed three times',
      });
      return;
    }
    const raw = claim.filing.raw.at(-1) ?? '';
    const bytes = await readRaw(db, raw).catch((error: unknown) => {
      if (error instanceof AppError && RAW_LOST.has(error.code)) return null;
      throw error;
    });
    if (bytes === null) {
      await endStage(db, claim, {
        $set: { state: 'discovered', attempt: 0, nextAt: context.now().toISOString() },
      });
      return;
    }
    const outcome = await context.parser.parse(bytes, accession);
    if (!outcome.ok) await setAside(context, claim, { code: outcome.code, reason: outcome.message });
    else if (await saveParsed(context, claim, { filing: outcome.filing, raw }))
      await passOn(context, accession);
  });
};

async function setAside(
  { db, log }: JobContext,
  claim: Claim,
  why: { readonly code: string; readonly reason: string },
): Promise<void> {
  await quarantineFiling(db, claim, why);
  log.warn({ accession: claim.filing._id, ...why }, 'quarantined');
}

type Parsed = { readonly filing: ParsedFiling; readonly raw: string };

async function saveParsed(context: JobContext, claim: Claim, parsed: Parsed): Promise<boolean> {
  const { header } = parsed.filing;
  const module = formFor(header.form);
  const parserVersion = module?.parserVersion ?? '';
  try {
    const fields = await fieldsOf(context, parsed, parserVersion);
    const event = module?.isEvent === true && claim.filing.seq === null ? 'pending' : claim.filing.event;
    return await endStage(context.db, claim, {
      $set: {
        ...fields,
        state: 'parsed',
        attempt: 0,
        quarantine: null,
        form: header.form,
        filedDate: header.filedDate,
        parserVersion,
        parsedRaw: parsed.raw,
        publishedAt: publishedAtOf(header),
        event,
        derive: 'pending',
      },
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'value_out_of_range') throw error;
    await setAside(context, claim, { code: error.code, reason: error.message });
    return false;
  }
}

type Fields = Partial<FilingDoc>;

async function fieldsOf({ db }: JobContext, { filing, raw }: Parsed, parserVersion: string): Promise<Fields> {
  if (filing.kind === 'thirteen_f') {
    const thirteenF = await saveThirteenF(db, filing, { parserVersion, raw });
    return { cik: filing.cik, company: filing.managerName, thirteenF };
  }
  const { issuer } = filing;
  return {
    cik: issuer.cik,
    company: issuer.name,
    ownership: filing,
    issuerCik: issuer.cik,
    ownerCiks: filing.owners.map((owner) => owner.cik),
    ticker: normaliseSymbol(issuer.symbol) ?? (await onlySymbolOf(db, issuer.cik)),
  };
}

/** Where the form names no symbol (rule 6.10): the issuer's one, when it is known to have just one. */
async function onlySymbolOf(db: JobContext['db'], cik: Cik): Promise<string> {
  const symbols = await symbolsOfCik(db, cik);
  return symbols.length === 1 ? (symbols[0] ?? '') : '';
}

async function passOn(context: JobContext, accession: Accession): Promise<void> {
  const filing = await filingsIn(context.db).findOne({ _id: accession });
  if (filing === null || filing.derive !== 'pending') return;
  const marked = await invalidateFollowers(context.db, filing);
  if (filing.event === 'pending') await context.producer.enqueue(sequence, { slot: secondsNow(context) });
  if (marked.kind === 'report') await enqueuePendingReports(context, marked.keys);
  else await enqueuePendingBriefs(context, marked.keys);
}

function secondsNow(context: JobContext): number {
  return Math.floor(context.now().getTime() / 1_000);
}
