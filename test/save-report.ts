import type { Db } from 'mongodb';
import { reportContent } from '../src/derive/report/content.ts';
import { saveReports } from '../src/derive/report/save-reports.ts';
import type { EffectiveReport, ReportChanges } from '../src/domain/report/report.ts';
import { evidenceSources } from '../src/store/filing/evidence.ts';
import { reportId } from '../src/store/filing/filings.ts';
import { findReport } from '../src/store/report/reports.ts';

/** One report with what is stored of its filings, of another edition with each version. False when a later version is shown. */
export async function saveReport(
  db: Db,
  changes: ReportChanges,
  version: number,
  filed: EffectiveReport = changes.report,
): Promise<boolean> {
  const accessions = changes.report.filings.map(({ accession }) => accession);
  const content = reportContent({ changes, filed, evidence: await evidenceSources(db, accessions) });
  const before = await findReport(db, content.key);
  const { shown } = await saveReports(db, [{ content, version, edition: version, before }]);
  return Number(shown.get(reportId(content.key))?.version) === version;
}
