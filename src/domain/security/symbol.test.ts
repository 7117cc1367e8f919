import { describe, expect, test } from 'vitest';
import { classInTitle, isOtherThanCommon, shareClassOf } from './class.ts';
import { normaliseSymbol, symbolsIn } from './symbol.ts';

describe('normaliseSymbol, the symbol of a Form 4 (rule 3.3)', () => {
  test.each([
    ['HUBS', 'HUBS'],
    [' hubs ', 'HUBS'],
    ['NYSE: X', 'X'],
    ['NYSE:X', 'X'],
    ['(NASDAQ: GOOGL)', 'GOOGL'],
    ['NYSE American: ABC', 'ABC'],
    ['NASDAQ GOOG', 'GOOG'],
    ['OTCQB: ABCD', 'ABCD'],
    ['"ABC"', 'ABC'],
    ['$abc', 'ABC'],
    ['ABC.', 'ABC'],
    ['brk-b', 'BRK.B'],
    ['BRK/B', 'BRK.B'],
    ['BRK B', 'BRK.B'],
    ['MFAC.U', 'MFAC.U'],
    ['META', 'META'],
    ['NYSE/XYZ', 'XYZ'],
    ['NYSE-XYZ', 'XYZ'],
    ['XYZ/WS', 'XYZ.WS'],
    ['XYZ/PRA', 'XYZ.PRA'],
    ['CBOE', 'CBOE'],
    ['WRNQ.PK', 'WRNQ'],
    ['VXQA.OB', 'VXQA'],
    ['abcd.otcqb', 'ABCD'],
    ['ABCD.PK.', 'ABCD'],
    ['XYZ (OTC Pink)', 'XYZ'],
    ['OTC PINK: ABCD', 'ABCD'],
  ])('%s is %s', (text, ticker) => {
    expect(normaliseSymbol(text)).toBe(ticker);
  });

  test.each([
    '',
    'NONE',
    'None',
    'N/A',
    'n/a',
    'NA',
    'N.A.',
    '-',
    'not listed',
    'Not Applicable',
    '2330.TW',
    'TOOLONGNAME',
    '__proto__',
    'constructor',
    'N/A (private)',
    'None (see remarks)',
    'Common',
    'Common Stock',
    'Private',
    'NYSE',
  ])('%s is not a symbol', (text) => {
    expect(normaliseSymbol(text)).toBeNull();
  });

  test('is the first of a list', () => {
    expect(normaliseSymbol('BRK.A, BRK.B')).toBe('BRK.A');
    expect(symbolsIn('BRK.A, BRK.B; N/A')).toEqual(['BRK.A', 'BRK.B']);
    expect(symbolsIn('GOOG and GOOGL')).toEqual(['GOOG', 'GOOGL']);
    expect(symbolsIn('GOOGL/GOOG')).toEqual(['GOOGL', 'GOOG']);
    expect(symbolsIn('UA/UAA')).toEqual(['UA', 'UAA']);
    expect(symbolsIn('NYSE/UA/UAA')).toEqual(['UA', 'UAA']);
    expect(symbolsIn('LEN/LEN.B')).toEqual(['LEN', 'LEN.B']);
    expect(symbolsIn('LEN, len')).toEqual(['LEN']);
    expect(symbolsIn('FRG FRGAP')).toEqual(['FRG', 'FRGAP']);
    expect(symbolsIn('AMC/APE')).toEqual(['AMC', 'APE']);
    expect(symbolsIn('no listing')).toEqual([]);
    expect(symbolsIn('WRNQ.PK, WRNQW.PK')).toEqual(['WRNQ', 'WRNQW']);
  });
});

describe('share classes (rule 3.8)', () => {
  test.each([
    ['Class B Common Stock', 'B'],
    ['LENNAR CORPORATION CL-B', 'B'],
    ['Liberty Braves Series A Common Stock', 'A'],
    ['CLASS "A" SHARES', 'A'],
    ['Common Stock', null],
    ['Classic Brands Inc', null],
    ['Series C-1 Stock', 'C'],
  ])('%s names %s', (title, letter) => {
    expect(classInTitle(title)).toBe(letter);
  });

  test('the suffix of a ticker decides before the name, unless it is that of a unit, warrant or right', () => {
    expect(shareClassOf('BRK.B' as never, 'SOMETHING CL A')).toBe('B');
    expect(shareClassOf('MFAC.U' as never, 'MEGALITH CL A')).toBe('A');
    expect(shareClassOf(null, 'BERKSHIRE HATHWY INC(HLDG CO)A')).toBe('A');
  });

  test.each([
    ['Series B Preferred Stock', true],
    ['Private Placement Warrants', true],
    ['5% Notes', true],
    ['Common Stock', false],
    ['Class A ordinary shares', false],
    ['Common Units representing Limited Partner Interests', false],
    ['Common Stock and associated Preferred Stock Purchase Rights', false],
    ['Common Stock (Restricted Stock Units)', false],
    ['Class A Common (with rights)', false],
    ['Ordinary Shares and attached rights', false],
    ['SUNOCO LP COM UNIT REPSTG LTD', false],
    ['IMMUNOVANT INC UNIT 1 COM & 1', true],
    ['Common Stock Purchase Warrants', true],
    ['Class A Common Stock Warrants', true],
    ['Class A Units', true],
  ])('%s is not common stock: %s', (title, expected) => {
    expect(isOtherThanCommon(title)).toBe(expected);
  });
});
