import { expect, test } from 'vitest';
import { filingBytes, thirteenFOf } from '../../../test/filings/read.ts';
import { diffReports } from '../../domain/change/diff.ts';
import { foldReport } from '../../domain/report/fold.ts';
import type { EffectiveReport } from '../../domain/report/report.ts';
import { takenInOf } from './thirteen-f.ts';

/** Berkshire for 2023-03-31, which took in what New England Asset Management had reported for General Re. */
const FILE = filingBytes('../../demo/quarter/filings/0000950123-23-005270.txt');
const filing = thirteenFOf(FILE);
const text = /<additionalInformation>([^<]*)</.exec(new TextDecoder().decode(FILE))?.[1] ?? '';
const read = (information: string) => takenInOf(information, filing.rows);

const POSITIONS = [
  { cusip: '037833100', amount: 20_424_207n },
  { cusip: '060505104', amount: 22_751_400n },
  { cusip: '166764100', amount: 2_092_000n },
  { cusip: '172967424', amount: 89_000n },
  { cusip: '25243Q205', amount: 227_750n },
  { cusip: '40434L105', amount: 16_476_783n },
  { cusip: '570535104', amount: 4_050n },
];
const NEAM = {
  name: 'New England Asset Management Inc.',
  cik: null,
  form13fFileNumber: '028-05194',
  sequence: null,
};

test('the list of a real cover is read whole, with the manager that it defines (rule 2.12)', () => {
  expect(filing.takenIn).toEqual({ from: NEAM, positions: POSITIONS });
});

test('so Berkshire held Apple, sold Chevron and bought Occidental, and only Diageo is in doubt (rule 2.12)', () => {
  const before = thirteenFOf(filingBytes('../../demo/quarter/filings/0000950123-23-002585.txt'));
  const [now, prior] = [filing, before].map((one) => foldReport([one]) as EffectiveReport);
  const { changes } = diffReports(now as EffectiveReport, prior as EffectiveReport);
  const of = (cusip: string) => {
    const { change, amountDelta, reasons } = changes.find((one) => one.cusip === cusip) ?? {};
    return [change, amountDelta, reasons];
  };
  expect(of('037833100')).toEqual(['HELD', 0n, ['taken_in_stated']]);
  expect(of('166764100')).toEqual(['REDUCED', -32_660_176n, ['taken_in_stated']]);
  expect(of('674599105')).toEqual(['ADDED', 17_355_469n, []]);
  expect(of('25243Q205')).toEqual(['NEW', 227_750n, ['combination_report']]);
  expect(changes.filter(({ reasons }) => reasons.includes('combination_report'))).toHaveLength(1);
});

test.each([
  ['one line, as a data set has it', text.replace(/\s+/g, ' ')],
  ['other words for the same', text.replace('this filing', 'This report').replace('formerly', 'previously')],
  ['ends of lines', text.replace(/ shares\n/g, ' shares;\n').replace(/shares$/, 'shares.')],
])('so it is with %s', (_, information) => {
  expect(read(information)).toEqual(filing.takenIn);
});

test.each([
  ['a count that no row has', text.replace('20,424,207', '20,424,208')],
  ['a name that the row does not have', text.replace('Apple Inc.', 'Banana Inc.')],
  ['a line of another kind', text.replace('Citigroup Inc -', 'and others; Citigroup Inc, about')],
  ['words after the list', `${text} and some smaller positions.`],
  ['a security twice', `${text}\nMarkel Corp - 4,050 shares`],
  ['the opposite', text.replace('this filing includes', 'this filing no longer includes')],
  ['another opposite', text.replace('that were formerly', 'that were not formerly')],
  ['no list', text.slice(0, text.indexOf('Apple'))],
  ['no such words', text.replace('formerly reported by', 'also held by')],
  ['more than a field has', `${text}${' '.repeat(4_096)}`],
])('a list with %s is not believed', (_, information) => {
  expect(information).not.toBe(text);
  expect(read(information)).toBeNull();
});
