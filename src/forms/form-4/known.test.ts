import { describe, expect, test } from 'vitest';
import { filingBytes, filingText, ownershipOf } from '../../../test/filings/read.ts';
import { AS_OF, briefInput, form4, reportingOwner, resolution } from '../../domain/brief/brief.sample.ts';
import { insiderLeg } from '../../domain/brief/insider-leg.ts';
import type { Ownership } from '../../domain/filing/filing.ts';
import type { Accession, Cik, IsoDate, Ticker } from '../../domain/ids.ts';
import { transactionItem } from '../../domain/insider/item.ts';
import { allRowsOf, tradesOf } from '../../domain/insider/trades.ts';
import { parseOwnershipXml } from '../ownership/document.ts';

/** Real forms of the corpus. The header of a document without its container is constructed. */
function loose(name: string, filed: string): Ownership {
  const header = { ...form4({ number: 1, filed }).header, accession: name as Accession };
  return parseOwnershipXml(filingText(`xml-only/${name}.xml`), header, ['4']);
}

const legOf = (filing: Ownership, issuerCik: Cik, asOf: string) =>
  insiderLeg(
    briefInput({
      asOf: asOf as IsoDate,
      resolution: resolution({ issuerCik, ticker: 'X' as Ticker }),
      ownershipFilings: [filing],
    }),
    true,
  );

describe('a company that is itself an insider', () => {
  const gamco = ownershipOf('form-4/0000807249-20-000018.txt');
  const bofa = loose('0000070858-26-000319', '2026-05-20');

  test.each([
    ['GAMCO in Liberty Media', gamco, '0001560385', 'BATRA', '2020-03-31'],
    ['Bank of America in a Nuveen fund', bofa, '0001774342', 'NMCO', '2026-05-31'],
  ])('%s: ticker and name are those of the issuer (rule 6.10)', (_name, filing, cik, ticker, asOf) => {
    const items = tradesOf([filing], asOf as IsoDate).map((trade) => transactionItem(trade));
    expect(items.length).toBeGreaterThan(0);
    for (const { issuer, owners } of items) {
      expect([issuer.cik, issuer.ticker]).toEqual([cik, ticker]);
      expect(owners.map((one) => one.cik)).not.toContain(cik);
    }
  });

  test.each([
    ['GAMCO', gamco, '0000807249', '0001560385', '2020-03-31'],
    ['Bank of America', bofa, '0000070858', '0001774342', '2026-05-31'],
  ])("%s: the trade is the issuer's, never the owner's own (rule 6.10)", (_name, filing, own, of, asOf) => {
    expect(filing.owners.map(({ cik }) => cik)).toContain(own);
    expect(legOf(filing, of as Cik, asOf).trades.length).toBeGreaterThan(0);
    expect(legOf(filing, own as Cik, asOf).considered).toEqual([]);
  });

  test('synthetic, shaped like Goldman Sachs in Attovia: two issuers share no trade (rule 6.10)', () => {
    const [attovia, goldman] = ['0002058707' as Cik, '0000886982' as Cik];
    const form = form4({
      number: 1,
      issuer: { cik: attovia, name: 'Attovia Therapeutics, Inc.', symbol: 'N/A' },
      owners: [
        { ...reportingOwner(1), cik: goldman, name: 'GOLDMAN SACHS GROUP INC' },
        { ...reportingOwner(2), name: 'GOLDMAN SACHS & CO. LLC' },
      ],
      rows: [{ code: 'P' }],
    });
    const [item] = tradesOf([form], AS_OF).map((trade) => transactionItem(trade));
    expect(item?.issuer).toEqual({ cik: attovia, name: 'Attovia Therapeutics, Inc.', ticker: '' });
    expect(item?.source_url).toContain('/data/2058707/');
    expect(legOf(form, attovia, AS_OF).counts).toMatchObject({ buys: 1, distinct_buyers: 1 });
    expect(legOf(form, goldman, AS_OF).considered).toEqual([]);
  });
});

describe('a private placement of units of depositary shares and warrants', () => {
  const placed = loose('0001209191-21-021966', '2021-03-18');
  const [shares, warrants] = allRowsOf([placed], '2021-03-31' as IsoDate);

  test('counts the shares as an unpriced purchase: the price is only in a footnote (rule 6.2)', () => {
    expect(shares).toMatchObject({ side: 'buy', priced: false, valueCents: null });
    expect(shares?.reasons).toEqual(['price_missing', 'depositary_ratio']);
  });

  test('does not count the warrants as a purchase of shares (rule 6.2)', () => {
    expect(warrants).toMatchObject({ side: 'other', row: { table: 'derivative', code: 'P' } });
    expect(legOf(placed, placed.issuer.cik, '2021-03-31').counts).toMatchObject({ buys: 1, unpriced: 1 });
  });

  test('names the values that the ratio and the price of a unit qualify (rule 6.8)', () => {
    expect(shares && transactionItem(shares).footnotes.map(({ id, qualifies }) => [id, qualifies])).toEqual([
      ['F1', ['code']],
      ['F2', ['shares', 'shares_owned_after']],
      ['F3', ['price_per_share']],
      ['F4', ['nature_of_ownership']],
    ]);
  });
});

test('four joint owners of GAMCO make one purchase and one group of owners (rule 6.6)', () => {
  const filing = ownershipOf('form-4/0000807249-20-000018.txt');
  expect(filing.owners).toHaveLength(4);
  expect(legOf(filing, filing.issuer.cik, '2020-03-31').counts).toMatchObject({
    buys: 1,
    distinct_buyers: 1,
  });
});

test.each([
  ['Meta', ['0000950103-23-002599', '0000950103-23-002603', '0000950103-23-002607'], '179.48'],
  ['Tesla', ['0001771340-23-000001', '0001771364-23-000004', '0001790565-23-000003'], '195.789'],
])('shares of %s withheld for taxes at one price are no offering (rule 6.7)', (_name, accessions, price) => {
  const forms = accessions.map((one) => ownershipOf(filingBytes(`../../demo/quarter/filings/${one}.txt`)));
  const sales = tradesOf(forms, '2023-05-31' as IsoDate).filter(({ side }) => side === 'sell');
  const withheld = sales.filter(({ row }) => row.pricePerShare === price);
  expect(withheld.map(({ kind }) => kind)).toEqual(['tax_cover', 'tax_cover', 'tax_cover']);
  expect(withheld.flatMap(({ reasons }) => reasons)).not.toContain('possible_offering');
});
