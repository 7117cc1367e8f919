import { describe, expect, test } from 'vitest';
import { beginAlike, compareNames } from './issuer-name.ts';

describe('a description of the fails file and the registrant', () => {
  test.each([
    ['APPLE INC', 'Apple Inc.'],
    ['FACEBOOK, INC. CLASS A', 'Facebook Inc'],
    ['ENTERPRISE PRODS PARTNERS LP', 'ENTERPRISE PRODUCTS PARTNERS L.P.'],
    ['BERKSHIRE HATHWY INC(HLDG CO)B', 'BERKSHIRE HATHAWAY INC'],
    ['AMERICAN INTL GROUP INC COM ST', 'AMERICAN INTERNATIONAL GROUP, INC.'],
    ['FIRST BANCORP COM STK NEW (PR)', 'FIRST BANCORP /PR/'],
    ['GEN ELEC CO', 'GENERAL ELECTRIC CO'],
    ['A A R CORP', 'AAR CORP'],
    ['U.S.BANCORP (NEW)', 'US BANCORP \\DE\\'],
    ['AT&T INC. COM', 'AT&T INC.'],
    ['JD COM INC SPON ADS REPSTG COM', 'JD.com, Inc.'],
    ['3 D SYSTEMS CORP NEW', '3D SYSTEMS CORP'],
    ['WAL-MART INC (DE)', 'Walmart Inc.'],
    ['NATIONAL OILWELL VARCO, INC.', 'NOV Inc.'],
    ['ALYNLAM PHARMACEUTICALS INC', 'ALNYLAM PHARMACEUTICALS, INC.'],
    ['AG MTG INVT TR INC COM STK (MD', 'AG Mortgage Investment Trust, Inc.'],
    ['NESTLE S A', 'Nestlé S.A.'],
    ['GENERAL MLS INC', 'General Mills Inc'],
    ['GENERAL MTRS CO', 'General Motors Co'],
    ['SOUTHWEST AIRLS CO', 'SOUTHWEST AIRLINES CO'],
    ['NEW MTN FIN CORP COM (DE)', 'New Mountain Finance Corp'],
    ['AMERICAN AIRLINES GROUP INC CO', 'AMERICAN AIRLS GROUP INC'],
    ['AMERITEK VENTURES', 'Globaltek Ventures, Inc.'],
    ['YORK WATER COMPANY (THE)', 'YORK WTR CO'],
    ['GLOBAL INDTY GROUP LLC CL A SH', 'Global Indemnity Group, LLC'],
    ['HEALTH CARE SVCS GROUP INC', 'HEALTHCARE SERVICES GROUP INC'],
    ['FIRST TRUST ENERGY INCOME &', 'FIRST TRUST ENERGY INCOME & GROWTH FUND'],
  ])('%s is %s', (description, registered) => {
    expect(compareNames(description, registered)).toBe('same');
  });

  test.each([
    ['SPRINT CORPORATION COM(NEW)', 'SentinelOne, Inc.'],
    ['TENNECO INC CLASS A VOTING COM', 'TSAKOS ENERGY NAVIGATION LTD'],
    ['ROUNDHILL BALL METAVERSE ETF', 'Meta Platforms, Inc.'],
    ['VIACOM INC CLASS A COM NEW', 'Via Renewables, Inc.'],
    ['TD AMERITRADE HOLDING CORPORAT', 'AMTD IDEA GROUP'],
    ['RANDGOLD RESOURCES LTD', 'BARRICK GOLD CORP'],
    ['EL PASO ELECTRIC CO "NEW"', 'Excelerate Energy, Inc.'],
    ['BIOTELEMETRY INC COM STK (DE)', 'HeartBeam, Inc.'],
    ['ORIGEN FINANCIAL INC', 'Origin Materials, Inc.'],
    ['HCP INC COM STK (MD)', 'HashiCorp, Inc.'],
    ['APPLE INC', 'Applied Nobody Inc'],
    ['ATA INC ADS', 'ATAI Life Sciences N.V.'],
    ['NOBILIS HEALTH CORP (CANADA)', 'Cue Health Inc.'],
    ['GENERAL ELECTRIC CO', 'General Mills Inc'],
    ['GENERAL MTRS CO', 'GENERAL ELECTRIC CO'],
    ['SOUTHWEST AIRLS CO', 'SOUTHWEST GAS CORP'],
    ['BLACKROCK NEW YORK MUNICIPAL I', 'Bank of New York Mellon Corp'],
    ['FLY LEASING LIMITED ADS REPSTG', 'Firefly Aerospace Inc.'],
    ['ANADARKO PETROLEUM CORP', 'ARKO Petroleum Corp.'],
    ['FIRST DEFIANCE FINL CORP', 'FIRST FINANCIAL CORP /IN/'],
    ['NUVEEN REAL ESTATE INCOME FD', 'REALTY INCOME CORP'],
    ['AMERICAN FINL GP (HOLD CO)', 'First American Financial Corp'],
    ['BLACKROCK SCIENCE & TECHNOLOGY', 'BK Technologies Corp'],
  ])('%s is not %s', (description, registered) => {
    expect(compareNames(description, registered)).toBe('different');
  });

  test('a name without letters is unknown', () => {
    expect(compareNames('', 'Apple Inc.')).toBe('unknown');
    expect(compareNames('APPLE INC', '--')).toBe('unknown');
  });
});

describe('two descriptions of one ticker under two CUSIPs', () => {
  test.each([
    ['STERIS PLC ORD SHS(IRL)', 'STERIS PLC SHS USD (GBR)'],
    ['PROSHARES TR ULTRAPRO SHORT QQ', 'PROSHARES TR ULTRASHORT NASDAQ'],
    ['GLOBAL X FDS', 'GLOBAL X FDS MSCI GREECE ETF'],
    ['FIRST TRUST NASDAQ BK ETF', 'FIRST TRUST NASDAQ BANK ETF'],
    ['FIRST FINL CORP', 'FIRST FINL CORP (INDIANA)'],
  ])('%s and %s are of one issuer (rule 3.7)', (left, right) => {
    expect([beginAlike(left, right), beginAlike(right, left)]).toEqual([true, true]);
  });

  test.each([
    ['FIRST TRUST NASDAQ BK ETF', 'FIRST TRUST DOW JONES INTERNET'],
    ['HAYMAKER ACQUISITION CORP', 'HAYMAKER ACQUISITION CORP II'],
    ['ARYA SCIENCES ACQ CORP III', 'ARYA SCIENCES ACQ CORP II CL A'],
    ['MATCH GROUP INC', 'MATCH COLLECTIVE INC'],
    ['', ''],
  ])('%s and %s are not of one issuer (rule 3.7)', (left, right) => {
    expect([beginAlike(left, right), beginAlike(right, left)]).toEqual([false, false]);
  });
});
