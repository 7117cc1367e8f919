import type { Accession, Cik, Cusip, IsoDate, QuarterEnd } from '../ids.ts';
import type { InfoTableRow, OtherManager, ThirteenF } from './filing.ts';

/** Parsed filings for tests; every field can be set. */
export const APPLE = '037833100' as Cusip;
export const GOOGL = '02079K305' as Cusip;
export const SPY = '78462F103' as Cusip;

export type SampleFiling = Partial<Omit<ThirteenF, 'header'>> & {
  readonly accession?: string;
  readonly filedDate?: string;
  readonly acceptedAt?: string | null;
};

export function sampleRow(overrides: Partial<InfoTableRow> = {}): InfoTableRow {
  const cusip = overrides.cusip === undefined ? APPLE : overrides.cusip;
  return {
    row: 1,
    issuer: cusip === APPLE || cusip === null ? 'APPLE INC' : `SAMPLE${cusip.slice(0, 6)} INC`,
    titleOfClass: 'COM',
    cusipAsFiled: cusip ?? '',
    cusip,
    value: 2_000_000n,
    amount: 20_000n,
    amountType: 'SH',
    putCall: null,
    discretion: 'SOLE',
    otherManagers: '',
    votingSole: 0n,
    votingShared: 0n,
    votingNone: 0n,
    reasons: [],
    ...overrides,
  };
}

export function sampleFiling(overrides: SampleFiling = {}): ThirteenF {
  const { accession, filedDate, acceptedAt, ...fields } = overrides;
  const isAmendment = fields.isAmendment ?? fields.amendmentType != null;
  const kind = fields.reportType === 'notice' ? '13F-NT' : '13F-HR';
  return {
    kind: 'thirteen_f',
    header: {
      accession: (accession ?? '0000000001-24-000001') as Accession,
      form: isAmendment ? `${kind}/A` : kind,
      filedDate: (filedDate ?? '2024-05-15') as IsoDate,
      acceptedAt: acceptedAt === undefined ? null : acceptedAt,
      periodOfReport: (fields.quarterEnd ?? '2024-03-31') as IsoDate,
      filers: [],
    },
    cik: '0000000001' as Cik,
    managerName: 'SAMPLE CAPITAL LP',
    reportType: 'holdings',
    quarterEnd: '2024-03-31' as QuarterEnd,
    amendmentNumber: null,
    amendmentType: null,
    confidentialOmitted: null,
    confidentialReveal: null,
    form13fFileNumber: null,
    reportedBy: [],
    includes: [],
    declaredEntryTotal: null,
    declaredValueTotal: null,
    schemaVersion: null,
    textConfidence: null,
    rows: [],
    ...fields,
    isAmendment,
  };
}

export function sampleManager(overrides: Partial<OtherManager> = {}): OtherManager {
  return { name: 'OTHER LLC', cik: null, form13fFileNumber: null, sequence: null, ...overrides };
}

/** `count` equity rows of distinct CUSIPs, numbered from `from`. */
export function sampleRows(count: number, from = 1): InfoTableRow[] {
  return Array.from({ length: count }, (_, index) => {
    const cusip = `A${String(from + index).padStart(8, '0')}` as Cusip;
    return sampleRow({ row: index + 1, cusip, issuer: `ISSUER ${from + index}` });
  });
}
