import type { Ownership, OwnershipRow, ReportingOwner } from '../filing/filing.ts';
import type { CorpusState } from '../filing/index-coverage.ts';
import type { ManagerObservation } from '../holders/observation.ts';
import type { Accession, Cik, Cusip, IsoDate, QuarterEnd, Ticker } from '../ids.ts';
import type { SecurityResolution } from '../security/mapping.ts';
import { buildWithEvidence } from './brief.ts';
import { accessionOf, readingOf } from './evidence.ts';
import { type EvidenceRows, type Holders, holderFacts } from './holder-facts.ts';
import type { BriefInput, EvidenceSource } from './input.ts';

/** Builders of synthetic inputs for tests. Their defaults raise no reason and no limitation. */
export const AS_OF = '2020-03-31' as IsoDate;
export const QUARTER = '2019-12-31' as QuarterEnd;
export const ISSUER = '0001404655' as Cik;

export function accessionNo(number: number): Accession {
  return `0000000001-20-${String(number).padStart(6, '0')}` as Accession;
}

export function cikOf(number: number): Cik {
  return String(number).padStart(10, '0') as Cik;
}

let serial = 0;

export function observation(fields: Partial<ManagerObservation> = {}): ManagerObservation {
  serial += 1;
  return {
    cik: cikOf(serial),
    name: `Manager ${serial}`,
    slug: `manager-${serial}`,
    quarterEnd: QUARTER,
    currentShares: 2_000n,
    previousShares: 1_000n,
    currentValueCents: 20_000_000n,
    previousValueCents: 10_000_000n,
    reportAumCents: 100_000_000n,
    comparable: true,
    publishedAt: { value: '2020-02-14T21:05:00Z', precision: 'second' },
    accessions: [accessionNo(2 * serial), accessionNo(2 * serial + 1)],
    rowsUsed: [],
    amendment: { isAmendment: false, amendmentType: null },
    restated: null,
    corporateActions: [],
    reasons: [],
    ...fields,
  };
}

export function corpus(fields: Partial<CorpusState> = {}): CorpusState {
  return {
    corpus: 'All 13F and Form 4 filings of the test',
    sourceComplete: true,
    latestReportedQuarterEnd: QUARTER,
    filingWindow: 'closed',
    coverageStart: '2019-01-01' as IsoDate,
    indexedThrough: '2020-03-31' as IsoDate,
    quarantined: { thirteenF: 0, form4: 0 },
    ...fields,
  };
}

export type Resolved = Extract<SecurityResolution, { kind: 'resolved' }>;

export function resolution(fields: Partial<Resolved> = {}): Resolved {
  return {
    kind: 'resolved',
    ticker: 'HUBS' as Ticker,
    name: 'HubSpot Inc',
    cusip: '443573100' as Cusip,
    issuerCik: ISSUER,
    siblings: [],
    sources: ['fails_to_deliver:2019-12-31'],
    reasons: [],
    ...fields,
  };
}

export function reportingOwner(number: number): ReportingOwner {
  return {
    cik: cikOf(900_000 + number),
    name: `Owner ${number}`,
    isDirector: true,
    isOfficer: false,
    isTenPercentOwner: false,
    isOther: false,
    officerTitle: null,
  };
}

export function tradeRow(fields: Partial<OwnershipRow> = {}): OwnershipRow {
  return {
    row: 1,
    table: 'non_derivative',
    rowKind: 'transaction',
    securityTitle: 'Common Stock',
    transactionDate: '2020-03-02' as IsoDate,
    deemedExecutionDate: null,
    code: 'S',
    equitySwap: false,
    shares: '100',
    pricePerShare: '10.00',
    acquiredDisposed: fields.code === 'P' ? 'A' : 'D',
    sharesOwnedAfter: '900',
    ownership: 'direct',
    natureOfOwnership: null,
    underlyingTitle: null,
    underlyingShares: null,
    conversionOrExercisePrice: null,
    exerciseDate: null,
    expirationDate: null,
    footnoteIds: {},
    ...fields,
  };
}

export type FormFields = Partial<Omit<Ownership, 'rows'>> & {
  readonly number: number;
  readonly filed?: string;
  readonly rows?: readonly Partial<OwnershipRow>[];
};

/** A Form 4 by accession number, filing day and rows; rows count up from 1. */
export function form4({ number, filed = '2020-03-04', rows = [{}], ...fields }: FormFields): Ownership {
  const filedDate = filed as IsoDate;
  const isAmendment = fields.isAmendment ?? false;
  return {
    kind: 'ownership',
    header: {
      accession: accessionNo(500_000 + number),
      form: isAmendment ? '4/A' : '4',
      filedDate,
      acceptedAt: `${filed}T21:00:00Z`,
      periodOfReport: '2020-03-02' as IsoDate,
      filers: [],
    },
    isAmendment,
    schemaVersion: 'X0306',
    issuer: { cik: ISSUER, name: 'HUBSPOT INC', symbol: 'HUBS' },
    periodOfReport: '2020-03-02' as IsoDate,
    dateOfOriginalSubmission: null,
    is10b51: null,
    notSubjectToSection16: null,
    owners: [reportingOwner(1)],
    rows: rows.map((row, index) => tradeRow({ row: index + 1, ...row })),
    footnotes: [],
    remarks: '',
    ...fields,
  };
}

/** Holders as they are read, in place of what is known of them. */
export type InputFields = Partial<Omit<BriefInput, 'holders'>> &
  Partial<Omit<Holders, 'latest' | 'late'>> & {
    /** The last quarters of managers that are behind. */
    readonly staleQuarters?: readonly QuarterEnd[];
  };

/** The holders of {@link briefInput}. */
export function holdersOf({
  observations = [],
  options = [],
  staleQuarters = [],
  unread = [],
  ...rest
}: InputFields): Holders {
  const { latestReportedQuarterEnd: latest } = rest.corpus ?? corpus();
  const late = staleQuarters.map((quarterEnd, n) => ({ cik: cikOf(800_000 + n), quarterEnd }));
  return { latest, observations, options, late, unread };
}

/** A complete input around the given parts; evidence covers every accession that they cite. */
export function briefInput(fields: InputFields = {}): BriefInput {
  const { observations = [], options: _options, staleQuarters: _late, unread: _unread, ...rest } = fields;
  const ownershipFilings = rest.ownershipFilings ?? [];
  const state = rest.corpus ?? corpus();
  const evidence = evidenceMap(observations, ownershipFilings);
  const read = holderFacts(holdersOf({ ...fields, corpus: state }));
  return {
    requestedTicker: 'HUBS' as Ticker,
    asOf: AS_OF,
    generatedAt: '2020-03-31T12:00:00.000Z',
    resolution: resolution(),
    corpus: state,
    holders: read.facts,
    holderReadings: readingsOf(read.evidence, rest.evidence ?? evidence),
    ownershipFilings,
    unreadForms: [],
    issuerPrices: new Map(),
    evidence,
    ...rest,
  };
}

/** What is cited without a source has that of {@link evidenceSource}. */
function readingsOf(behind: readonly EvidenceRows[], sources: ReadonlyMap<Accession, EvidenceSource>) {
  return behind.map(({ evidence_id }) => {
    const accession = accessionOf(evidence_id);
    const cited = evidenceSource(accession, { kind: 'sec_13f', formType: '13F-HR', cik: cikOf(1) });
    return readingOf(sources.get(accession) ?? cited);
  });
}

/** The brief of these inputs, with the rows behind all its evidence. */
export function builtFrom(fields: InputFields) {
  const input = briefInput(fields);
  const { brief, forms } = buildWithEvidence(input);
  return { input, brief, evidence: [...holderFacts(holdersOf(fields)).evidence, ...forms] };
}

function evidenceMap(
  observations: readonly ManagerObservation[],
  filings: readonly Ownership[],
): Map<Accession, EvidenceSource> {
  const sources = [
    ...observations.flatMap(({ accessions, cik }) =>
      accessions.map((accession) => evidenceSource(accession, { kind: 'sec_13f', formType: '13F-HR', cik })),
    ),
    ...filings.map(({ header, issuer }) =>
      evidenceSource(header.accession, { kind: 'sec_form4', formType: header.form, cik: issuer.cik }),
    ),
  ];
  return new Map(sources.map((source) => [source.accession, source]));
}

function evidenceSource(
  accession: Accession,
  fields: Pick<EvidenceSource, 'kind' | 'formType' | 'cik'>,
): EvidenceSource {
  return {
    accession,
    publishedAt: { value: '2020-02-14', precision: 'day' },
    retrievedAt: '2020-03-30T08:00:00Z',
    parserVersion: '1',
    rawHash: null,
    ...fields,
  };
}
