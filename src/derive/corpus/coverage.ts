import type { Db } from 'mongodb';
import { coverageAnchor, indexCoverage } from '../../domain/filing/index-coverage.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { knownIndexDays, lastBackfill } from '../../store/filing/index-days.ts';
import { publishedCorpus } from '../../store/publish/corpus.ts';

/** The index days known up to the day, and the unbroken run of them that briefs rest on (rule 10.5). */
export async function coverageOn(db: Db, asOf: IsoDate) {
  const [days, backfill, published] = await Promise.all([
    knownIndexDays(db),
    lastBackfill(db),
    publishedCorpus(db),
  ]);
  const known = days.filter((day) => day._id <= asOf);
  const through = published?.corpus.state.indexedThrough ?? null;
  const anchor = coverageAnchor({ asOf, from: backfill?.from ?? null, through });
  const run = indexCoverage(
    known.map((day) => day._id),
    anchor,
  );
  return { known, ...run };
}
