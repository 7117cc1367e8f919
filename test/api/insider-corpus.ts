import type { Db } from 'mongodb';
import { insider } from '../../jobs/derive.ts';
import type { JobContext } from '../../jobs/worker/context.ts';
import { invalidateFilingFollowers } from '../../src/derive/report/filing-followers.ts';
import type { Ownership } from '../../src/domain/filing/filing.ts';
import type { Cik } from '../../src/domain/ids.ts';
import { type FilingDoc, filingsIn } from '../../src/store/filing/filings.ts';
import { parsedDoc } from '../filings/doc.ts';

export const RAW = 'ab'.repeat(32);

/** Stores forms as if they had been parsed, and lists their trades as the pipeline does. */
export async function seedForms(db: Db, forms: readonly Ownership[]): Promise<void> {
  const docs = forms.map(form4Doc);
  await filingsIn(db).insertMany(docs);
  await invalidateFilingFollowers(db, docs);
  for (const cik of new Set(forms.map((form) => form.issuer.cik))) await reconcile(db, cik);
}

/** All that the job uses of a worker's context is the database. */
export async function reconcile(db: Db, cik: Cik): Promise<void> {
  await insider({ db } as JobContext, { cik, version: 1 });
}

export function form4Doc(form: Ownership): FilingDoc {
  return parsedDoc(form, {
    parserVersion: 'form4-1',
    parsedRaw: RAW,
    retrievedAt: '2018-11-30T08:00:00.000Z',
    derive: 'pending',
  });
}
