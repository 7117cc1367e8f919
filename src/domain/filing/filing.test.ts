import { expect, test } from 'vitest';
import type { Accession, Cik } from '../ids.ts';
import { humanUrl, sourceUrl, submissionTextUrl } from './filing.ts';

const FILING = ['0001067983' as Cik, '0000950123-18-011885' as Accession] as const;
const FOLDER = 'https://www.sec.gov/Archives/edgar/data/1067983/000095012318011885/';

test('archive addresses have the CIK unpadded and the folder without dashes (rule 1.1)', () => {
  expect(sourceUrl(...FILING)).toBe(FOLDER);
  expect(humanUrl(...FILING)).toBe(`${FOLDER}0000950123-18-011885-index.htm`);
  expect(submissionTextUrl(...FILING)).toBe(`${FOLDER}0000950123-18-011885.txt`);
});
