import type { Accession, Cik } from '../ids.ts';

const ARCHIVE = 'https://www.sec.gov';

/**
 * Folder of a filing in EDGAR's archive, with a slash at both ends. The archive path has the CIK
 * without leading zeros (a padded one is answered with a redirect) and the accession without dashes.
 */
export function filingFolderPath(cik: Cik, accession: Accession): string {
  return `/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/`;
}

/** Path of the full submission text, the one document that is fetched. */
export function submissionTextPath(cik: Cik, accession: Accession): string {
  return `${filingFolderPath(cik, accession)}${accession}.txt`;
}

/** {@link submissionTextPath} at EDGAR, or at the server that stands in for it. */
export function submissionTextUrl(cik: Cik, accession: Accession, base: string = ARCHIVE): string {
  return `${base}${submissionTextPath(cik, accession)}`;
}

/**
 * `source_url`: the directory index of the filing, for programs (`index.json` stands in it).
 * Always EDGAR's own address, wherever the bytes were fetched, so that ids agree between machines.
 */
export function sourceUrl(cik: Cik, accession: Accession): string {
  return `${ARCHIVE}${filingFolderPath(cik, accession)}`;
}

/** `human_url`: the filing index page, for people. */
export function humanUrl(cik: Cik, accession: Accession): string {
  return `${sourceUrl(cik, accession)}${accession}-index.htm`;
}
