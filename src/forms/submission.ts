import type { FilingHeader } from '../domain/filing/filing.ts';

/** One `<DOCUMENT>` of a full submission. */
export type SubmissionDocument = {
  readonly type: string;
  readonly sequence: string;
  readonly filename: string;
  /** Everything between `<TEXT>` and `</TEXT>`. */
  readonly text: string;
  /** The XML part, trimmed; null for HTML, text and uuencoded documents. */
  readonly xml: string | null;
};

/** A full submission text, split into its parts; its documents are not read yet. */
export type Submission = {
  readonly header: FilingHeader;
  readonly documents: readonly SubmissionDocument[];
};
