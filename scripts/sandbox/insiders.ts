import type { Form4, Insider, Issuer } from './form-4-text.ts';

const issuer = (n: number, symbol: string, name: string): Issuer => ({
  cik: `99910000${String(n).padStart(2, '0')}`,
  name,
  symbol,
});

const DONE = issuer(1, 'DONE', 'Donewell Fictional Inc');
const SOLD = issuer(2, 'SOLD', 'Soldoff Fictional Corp');
const CLASH = issuer(3, 'CLASH', 'Clashing Fictional Co');
const MIXED = issuer(4, 'MIXED', 'Mixture Fictional plc');
const STEADY = issuer(5, 'STEADY', 'Steadfast Fictional Ltd');
const PART = issuer(6, 'PART', 'Partway Fictional Inc');
const MAYBE = issuer(7, 'MAYBE', 'Mayberry Fictional Mining Co');
const NODATA = issuer(8, 'NODATA', 'Unheld Fictional Corp');

const person = (n: number, name: string, role: string): Insider => ({
  cik: `99920000${String(n).padStart(2, '0')}`,
  name,
  role,
});

const ADA = person(1, 'Example Ada', 'Chief Executive Officer');
const BEN = person(2, 'Sample Ben', 'Director');
const CARA = person(3, 'Specimen Cara', 'Chief Financial Officer');
const DAN = person(4, 'Placeholder Dan', 'Executive Chair');
const EVE = person(5, 'Template Eve', 'Director');
const FINN = person(6, 'Dummy Finn', 'General Counsel');
const GAIL = person(7, 'Pattern Gail', 'Chief Operating Officer');

/** All are within the 180 days before the sandbox's day. */
export const FORMS_4: readonly Omit<Form4, 'accession'>[] = [
  {
    ...{ issuer: NODATA, reportingOwner: EVE, filed: '2025-04-04' },
    trades: [{ date: '2025-04-02', code: 'A', shares: 5_000, price: '0', after: 5_000 }],
  },
  {
    ...{ issuer: MIXED, reportingOwner: EVE, filed: '2025-05-08' },
    trades: [{ date: '2025-05-06', code: 'P', shares: 1_000, price: '36.20', after: 9_000 }],
  },
  {
    ...{ issuer: SOLD, reportingOwner: CARA, filed: '2025-05-22', isPlanned: true },
    trades: [
      {
        ...{ date: '2025-05-20', code: 'S', shares: 50_000, price: '33.3375', after: 160_000 },
        priceNote:
          'The price is a weighted average of several trades at prices from $33.10 to $33.60. Sold under a Rule 10b5-1 plan.',
      },
    ],
  },
  {
    ...{ issuer: STEADY, reportingOwner: GAIL, filed: '2025-06-04' },
    trades: [
      { date: '2025-06-02', code: 'M', shares: 4_000, price: '10.00', after: 24_000 },
      { date: '2025-06-02', code: 'F', shares: 1_500, price: '59.80', after: 22_500 },
    ],
    exercise: { date: '2025-06-02', shares: 4_000, price: '10.00' },
  },
  {
    ...{ issuer: DONE, reportingOwner: ADA, filed: '2025-06-12' },
    trades: [
      { date: '2025-06-10', code: 'P', shares: 20_000, price: '37.10', after: 320_000 },
      { date: '2025-06-10', code: 'P', shares: 5_000, price: '37.55', after: 15_000, nature: 'By trust' },
    ],
  },
  {
    ...{ issuer: MAYBE, reportingOwner: BEN, filed: '2025-06-18' },
    trades: [{ date: '2025-06-17', code: 'P', shares: 10_000, price: '11.35', after: 10_000 }],
  },
  {
    ...{ issuer: CLASH, reportingOwner: DAN, filed: '2025-06-26' },
    trades: [{ date: '2025-06-24', code: 'S', shares: 75_000, price: '60.40', after: 425_000 }],
  },
  {
    ...{ issuer: PART, reportingOwner: FINN, filed: '2025-07-10' },
    trades: [{ date: '2025-07-08', code: 'P', shares: 2_500, price: '13.40', after: 2_500 }],
  },
  {
    ...{ issuer: DONE, reportingOwner: BEN, filed: '2025-07-16' },
    trades: [{ date: '2025-07-15', code: 'P', shares: 3_000, price: '36.02', after: 8_000 }],
  },
  {
    // The price was mistyped.
    ...{ issuer: DONE, reportingOwner: BEN, filed: '2025-07-21', originalFiled: '2025-07-16' },
    trades: [{ date: '2025-07-15', code: 'P', shares: 3_000, price: '38.02', after: 8_000 }],
  },
  {
    ...{ issuer: MIXED, reportingOwner: FINN, filed: '2025-07-31' },
    trades: [{ date: '2025-07-29', code: 'S', shares: 1_000, price: '37.40', after: 4_000 }],
  },
  {
    ...{ issuer: SOLD, reportingOwner: CARA, filed: '2025-08-07' },
    trades: [{ date: '2025-08-05', code: 'S', shares: 10_000, price: '34.60', after: 150_000 }],
  },
];
