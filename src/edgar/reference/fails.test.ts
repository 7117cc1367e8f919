import { describe, expect, it } from 'vitest';
import { corpusFile } from '../../../test/edgar/fixture.ts';
import type { IsoDate } from '../../domain/ids.ts';
import { failsNamesBetween, readFailsFile } from './fails.ts';

const HEADER = 'SETTLEMENT DATE|CUSIP|SYMBOL|QUANTITY (FAILS)|DESCRIPTION|PRICE\n';
const read = (rows: string, trailer: string) =>
  readFailsFile(Buffer.from(`${HEADER}${rows}${trailer}`, 'latin1'));

describe('a fails-to-deliver file (rule 3.4)', () => {
  it('is read from its zip and gives one entry for a CUSIP and symbol (rule 3.4)', async () => {
    const entries = await readFailsFile(corpusFile('fails/cnsfails201901a.zip'));
    expect(entries).toHaveLength(9_566);
    expect(entries.find((entry) => entry.symbol === 'BRKB')).toMatchObject({
      cusip: '084670702',
      symbol: 'BRKB',
      name: 'BERKSHIRE HATHWY INC(HLDG CO)B',
      firstSettlement: '2019-01-02',
      lastSettlement: '2019-01-08',
    });
  });

  it('keeps the last description, whatever the order of the rows, and its quotes; prices of days have their rows', async () => {
    const rows =
      '20190103|037833100|AAPL|5|"APPLE" INC|152.29\n20190102|037833100|AAPL|7|APPLE|150.00\n20190104|037833100|AAPL|7|APPLE | NEW|.\n';
    const entries = await read(rows, 'Trailer record count 3\nTrailer total quantity of shares 19\n');
    expect(entries).toEqual([
      {
        cusip: '037833100',
        symbol: 'AAPL',
        name: 'APPLE | NEW',
        firstSettlement: '2019-01-02',
        lastSettlement: '2019-01-04',
        // The row without a price is none of them.
        days: [20190103, 20190102],
        prices: [152.29, 150],
        rows: [1, 2],
      },
    ]);
  });

  it('is refused when cut: the trailer must count its rows', async () => {
    const row = '20190102|037833100|AAPL|5|APPLE|152.29\n';
    await expect(read(row, '')).rejects.toThrow('the trailer says null');
    await expect(read(row, 'Trailer record count 2\n')).rejects.toThrow('the trailer says 2');
    const zip = corpusFile('fails/cnsfails201901a.zip');
    await expect(readFailsFile(zip.subarray(0, 500_000))).rejects.toThrow('zip cannot be read');
    await expect(readFailsFile(Buffer.from('<html></html>'))).rejects.toThrow('header is missing');
  });

  it('has a name for each half of a month', () => {
    expect(failsNamesBetween('2018-11-20' as IsoDate, '2019-01-15' as IsoDate)).toEqual([
      'cnsfails201811b.zip',
      'cnsfails201812a.zip',
      'cnsfails201812b.zip',
      'cnsfails201901a.zip',
    ]);
  });
});
