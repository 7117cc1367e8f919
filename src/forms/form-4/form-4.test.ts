import { expect, test } from 'vitest';
import { filingText, outcomeOf, ownershipOf } from '../../../test/filings/read.ts';
import { parseOwnershipXml } from '../ownership/document.ts';
import { splitSubmission } from '../sgml.ts';
import { asText } from '../source.ts';

const REES = 'form-4/0001214659-20-002786.txt';

test('the purchases of a FICO director in March 2020 are read row by row', () => {
  const filing = ownershipOf(REES);
  expect(filing).toMatchObject({
    isAmendment: false,
    issuer: { cik: '0000814547', name: 'FAIR ISAAC CORP', symbol: 'FICO' },
    periodOfReport: '2020-03-18',
    dateOfOriginalSubmission: null,
    is10b51: null,
  });
  expect(filing.header.acceptedAt).toBe('2020-03-20T20:05:14Z');
  const purchases = filing.rows.filter(({ code }) => code === 'P');
  expect(purchases).toHaveLength(5);
  expect(purchases.slice(0, 2).map((r) => [r.shares, r.pricePerShare, r.sharesOwnedAfter])).toEqual([
    ['375', '190.51', '3375'],
    ['100', '191.70', '3475'],
  ]);
  expect(purchases[0]).toMatchObject({
    row: 1,
    table: 'non_derivative',
    rowKind: 'transaction',
    securityTitle: 'Common Stock',
    transactionDate: '2020-03-18',
    deemedExecutionDate: null,
    equitySwap: false,
    acquiredDisposed: 'A',
    ownership: 'indirect',
    natureOfOwnership: 'John Hamm & Joanna Rees Trust',
    footnoteIds: { transactionPricePerShare: ['F1'], sharesOwnedFollowingTransaction: ['F3'] },
  });
});

test('four joint owners of the Gabelli group share one purchase; holdings are rows (rule 6.1)', () => {
  const filing = ownershipOf('form-4/0000807249-20-000018.txt');
  expect(filing.owners.map(({ cik, name }) => [cik, name])).toEqual([
    ['0000807249', 'GAMCO INVESTORS, INC. ET AL'],
    ['0001238894', 'GGCP, INC.'],
    ['0001642122', 'Associated Capital Group, Inc.'],
    ['0001185533', 'GABELLI MARIO J'],
  ]);
  expect(filing.rows[0]).toMatchObject({
    row: 1,
    rowKind: 'transaction',
    code: 'P',
    shares: '1000',
    pricePerShare: '29.25',
  });
  expect(filing.rows[1]).toMatchObject({
    row: 2,
    rowKind: 'holding',
    code: null,
    shares: null,
    sharesOwnedAfter: '7000',
  });
});

test('eight SoftBank owners are read, and a price that is only a footnote is null', () => {
  const filing = ownershipOf('form-4/0001493152-25-009612.txt');
  expect(filing.owners).toHaveLength(8);
  expect(filing.owners.every(({ isTenPercentOwner, isDirector }) => isTenPercentOwner && !isDirector)).toBe(
    true,
  );
  const [common, derivative] = filing.rows;
  expect(common).toMatchObject({
    table: 'non_derivative',
    row: 1,
    code: 'C',
    shares: '628553',
    pricePerShare: null,
  });
  expect(common?.footnoteIds).toEqual({
    transactionShares: ['F1'],
    transactionPricePerShare: ['F2'],
    sharesOwnedFollowingTransaction: ['F1'],
    natureOfOwnership: ['F3'],
  });
  expect(derivative).toMatchObject({
    table: 'derivative',
    row: 1,
    pricePerShare: '0',
    underlyingTitle: 'Class A Common Stock',
    underlyingShares: '628553',
    conversionOrExercisePrice: null,
    expirationDate: null,
  });
  expect(filing.footnotes.map(({ id }) => id)).toEqual(['F1', 'F2', 'F3']);
  expect(filing.footnotes[0]?.text).toMatch(/^Reflects a 1-for-50 reverse stock split/);
  expect(filing.is10b51).toBe(false);
});

test('a holding before the transaction is row 1, and fractions keep every digit (rule 6.1)', () => {
  const filing = ownershipOf('form-4/0001179706-14-000057.txt');
  expect(filing.rows.map(({ table, row, rowKind, code }) => [table, row, rowKind, code])).toEqual([
    ['non_derivative', 1, 'holding', null],
    ['non_derivative', 2, 'transaction', 'M'],
    ['derivative', 1, 'transaction', 'M'],
  ]);
  expect(filing.rows[1]).toMatchObject({
    shares: '14273.9165',
    pricePerShare: '0',
    sharesOwnedAfter: '26032.6435',
  });
  expect(filing.rows[2]).toMatchObject({
    pricePerShare: null,
    conversionOrExercisePrice: null,
    sharesOwnedAfter: '0',
  });
});

test('a plan under Rule 10b5-1 is read from its own element in every spelling; absence is not "no" (rule 6.8)', () => {
  const planned = ownershipOf('form-4/0001079973-25-000129.txt');
  expect(planned.is10b51).toBe(true);
  expect(planned.rows.map(({ pricePerShare }) => pricePerShare)).toEqual(['42.00', '41.44']);
  expect(planned.rows[0]?.footnoteIds).toEqual({ transactionCoding: ['F1'] });
  const text = filingText('form-4/0001079973-25-000129.txt');
  const spelled = (value: string): boolean | null =>
    ownershipOf(text.replace(/<aff10b5One>1</, `<aff10b5One>${value}<`)).is10b51;
  expect([spelled('true'), spelled('0'), spelled('false'), spelled('')]).toEqual([true, false, false, null]);
  expect(ownershipOf('form-4/0000320193-22-000061.txt').is10b51).toBeNull();
});

test('an amendment has the filing day of its original (rule 6.5)', () => {
  const filing = ownershipOf('form-4/0000814585-20-000025.txt');
  expect(filing).toMatchObject({
    isAmendment: true,
    dateOfOriginalSubmission: '2020-03-06',
    notSubjectToSection16: false,
  });
  expect(filing.rows).toHaveLength(1);
  expect(filing.rows[0]).toMatchObject({
    code: 'F',
    acquiredDisposed: 'D',
    shares: '1479',
    sharesOwnedAfter: '793188',
  });
  expect(filing.remarks).toMatch(/^This report on Form 4\/A amends and replaces/);
});

test('bare values, wrapped values and any prefix read alike (rule 6.1)', () => {
  const text = filingText(REES);
  const { header, documents } = splitSubmission(text);
  const xml = asText(documents[0]?.xml ?? '');
  const bare = xml.replace(/<value>([^<]*)<\/value>/g, '$1');
  const prefixed = xml.replace(/<(\/?)(\w)/g, '<$1o:$2').replace('<?o:xml', '<?xml');
  expect(parseOwnershipXml(bare, header, ['4'])).toEqual(ownershipOf(text));
  expect(parseOwnershipXml(prefixed, header, ['4'])).toEqual(ownershipOf(text));
});

test('a document without its container is read with a header from elsewhere', () => {
  const { header } = splitSubmission(filingText(REES));
  const filing = parseOwnershipXml(filingText('xml-only/0001140361-26-017175.xml'), header, ['4']);
  expect(filing).toMatchObject({ schemaVersion: 'X0609', is10b51: true, issuer: { symbol: 'AAPL' } });
  expect(filing.rows.map(({ code }) => code)).toEqual(['S']);
});

test('a Form 4 of 2006 with wrapped lines is malformed; another of that year is not', () => {
  expect(outcomeOf('form-4/0001225259-06-000003.txt')).toBe('malformed_xml');
  const filing = ownershipOf('form-4/0001209191-06-055343.txt');
  expect(filing.schemaVersion).toBe('X0202');
  expect(filing.header.acceptedAt).toBe('2006-10-19T21:06:11Z');
  const trades = filing.rows.filter(({ rowKind }) => rowKind === 'transaction');
  expect(trades.map(({ code, shares, pricePerShare }) => [code, shares, pricePerShare])).toEqual([
    ['F', '167', '15.53'],
    ['A', '125000', '0.00'],
  ]);
});

test.each([
  [/<rptOwnerCik>.*<\/rptOwnerCik>/, ''],
  [/<issuerCik>.*<\/issuerCik>/, ''],
  ['<documentType>4</documentType>', '<documentType>5</documentType>'],
  [/<reportingOwner>[\s\S]*<\/reportingOwner>/, ''],
  ['<nonDerivativeTable>', '<nonDerivativeTable><unknownTransaction/>'],
])('a filing in which %s becomes %j is refused as a whole', (from, to) => {
  const text = filingText(REES);
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  expect(outcomeOf(changed)).toBe('schema_invalid');
});

test.each([
  ['<transactionCode>P</transactionCode>', '', 'transactionCode is missing', { code: null }],
  [/<transactionCoding>[\s\S]*?<\/transactionCoding>/, '', 'transactionCode is missing', { code: null }],
  [
    '<value>190.51</value>',
    '<value>about 190</value>',
    'transactionPricePerShare reads "about 190"',
    { pricePerShare: null },
  ],
  [
    '<value>2020-03-18</value>',
    '<value>2020-02-30</value>',
    'transactionDate reads "2020-02-30"',
    { transactionDate: null },
  ],
])('a row in which %s becomes %j is unusable, and the others are read (rule 6.1)', (from, to, what, read) => {
  const [first, ...others] = ownershipOf(filingText(REES)).rows;
  const changed = ownershipOf(filingText(REES).replace(from, to));
  expect(changed.rows).toEqual([{ ...first, ...read, unreadable: [what] }, ...others]);
});

test('a web page in place of the ownership document is refused', () => {
  const text = filingText(REES).replace(
    /<XML>[\s\S]*<\/XML>/,
    '<XML><html><body>Not found</body></html></XML>',
  );
  expect(outcomeOf(text)).toBe('wrong_root');
});

test('a date with a zone is the printed day', () => {
  const text = filingText(REES).replace('<value>2020-03-18</value>', '<value>2020-03-18-05:00</value>');
  expect(ownershipOf(text).rows[0]?.transactionDate).toBe('2020-03-18');
});
