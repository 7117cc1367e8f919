// Only the first and the last bytes are read, so that the check costs nothing on a large submission.
const BEGINS =
  /^(?:\uFEFF|ï»¿)?\s*(?:<SEC-DOCUMENT>|<SEC-HEADER>|<SUBMISSION>|<IMS-DOCUMENT>|-----BEGIN PRIVACY-ENHANCED MESSAGE-----)/;
const ENDS = /(<\/SEC-DOCUMENT>|<\/IMS-DOCUMENT>|<\/SUBMISSION>|-----END PRIVACY-ENHANCED MESSAGE-----)\s*$/;

/** True when the bytes begin like a full submission of any era. */
export function looksLikeSubmission(bytes: Buffer): boolean {
  return BEGINS.test(bytes.toString('latin1', 0, 1_024));
}

/** True when the SGML container is closed, which it never is in a cut transfer (rule 10.6). */
export function isClosedSubmission(bytes: Buffer): boolean {
  return looksLikeSubmission(bytes) && ENDS.test(bytes.toString('latin1', Math.max(0, bytes.length - 256)));
}
