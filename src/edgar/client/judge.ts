import { type EdgarCode, EdgarError } from '../error.ts';

const MAX_RETRY_SECONDS = 3_600;
/** EDGAR blocks for about as long (rule 10.1). */
const UNCLEAR_RETRY_SECONDS = 600;

type Answer = {
  readonly url: string;
  readonly status: number;
  /** From `Retry-After`; null without one. */
  readonly retryAfterSeconds: number | null;
  /** The first kilobytes of the decoded body: enough to distinguish a page from a document. */
  readonly head: string;
  /** What the request was for: EDGAR answers 403 for an index day without filings, never for a document. */
  readonly expects: 'document' | 'index';
  /** The request asked only for what changed since an earlier answer. */
  readonly isConditional: boolean;
};

/**
 * Decides by status and decoded body what EDGAR's answer means (rule 10.2). Null means that it is
 * the requested document; anything else is the error to throw.
 */
export function judge(answer: Answer): EdgarError | null {
  const page = isHtmlPage(answer.head);
  if (answer.status === 429 || (page && answer.head.includes('Request Rate Threshold Exceeded'))) {
    return error('edgar_blocked', answer, 'this address is blocked for exceeding the request rate', true);
  }
  if (page && answer.head.includes('Undeclared Automated Tool')) {
    return error('edgar_undeclared', answer, 'the User-Agent is refused: set EDGAR_USER_AGENT', false);
  }
  if (answer.status === 200) {
    return page ? error('edgar_html', answer, 'an HTML page instead of the document', true) : null;
  }
  return judgeStatus(answer);
}

function judgeStatus(answer: Answer): EdgarError {
  const { status } = answer;
  if (status === 403 && /<Code>(AccessDenied|NoSuchKey)<\/Code>/.test(answer.head)) {
    return answer.expects === 'index'
      ? error('edgar_no_index', answer, 'no index for that day', false)
      : error('edgar_not_found', answer, 'not there (yet)', true);
  }
  if (status === 403) return error('edgar_refused', answer, 'refused for an unknown reason', true);
  if (status === 404 || status === 410) return error('edgar_not_found', answer, 'not there (yet)', true);
  if (status === 304 && answer.isConditional) {
    return error('edgar_not_modified', answer, 'not changed since it was read', false);
  }
  if (status === 304) return error('edgar_malformed', answer, 'unchanged, which was not asked', true);
  if (status >= 300 && status < 400) {
    return error('edgar_redirect', answer, 'a redirect, which is never followed', false);
  }
  return error('edgar_unavailable', answer, 'not available', true);
}

/** True for a web page. A submission may contain HTML but never begins with it. */
export function isHtmlPage(head: string): boolean {
  return /^(\uFEFF|ï»¿)?\s*(<\?xml[^>]*\?>\s*)?(<!--[\s\S]*?-->\s*)?<(!doctype\s+html|html)[\s>]/i.test(head);
}

function error(code: EdgarCode, answer: Answer, what: string, retry: boolean): EdgarError {
  const seconds = answer.retryAfterSeconds;
  // Asked at once again and again, an EDGAR that is down would be asked at the full rate: 0 is as none.
  const wait = retry && seconds ? { retryAfterMs: boundedSeconds(seconds) * 1_000 } : {};
  return new EdgarError(code, `EDGAR answered ${answer.status} to ${answer.url}: ${what}`, {
    retry,
    ...wait,
  });
}

/** A breaker, a job and a claim wait for what EDGAR says: a wrong header must not stop them for years (rule 10.1). */
function boundedSeconds(asked: number): number {
  return Number.isInteger(asked) && asked > 0 && asked <= MAX_RETRY_SECONDS ? asked : UNCLEAR_RETRY_SECONDS;
}

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
