import type { Accession, Cik } from '../ids.ts';

/**
 * `source_url`: the directory of the filing in EDGAR's archive, for programs (`index.json` is in it).
 * The path has the CIK without leading zeros (EDGAR redirects a padded one) and the accession without
 * dashes. Always EDGAR's own host, wherever the bytes came from, so that ids agree between machines.
 */
export function sourceUrl(cik: Cik, accession: Accession): string {
  return `https://www.sec.gov/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/`;
}

/** `human_url`: the index page of the filing, for people. */
export function humanUrl(cik: Cik, accession: Accession): string {
  return `${sourceUrl(cik, accession)}${accession}-index.htm`;
}

/** The full submission text, the one document that is fetched. */
export function submissionTextUrl(cik: Cik, accession: Accession): string {
  return `${sourceUrl(cik, accession)}${accession}.txt`;
}
