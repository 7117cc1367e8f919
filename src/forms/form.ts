import type { ParsedFiling } from '../domain/filing/filing.ts';
import type { Submission } from './submission.ts';

/** What a form is to the rest of the system. A new form is one folder and one line in the list. */
export type FormModule = {
  /** Stable, kebab-case: names the form in logs and dashboards. */
  readonly name: string;
  /** EDGAR form types, exactly as the feed and the header spell them. */
  readonly carries: readonly string[];
  readonly about: string;
  /** Raised with every change of output. Filings stored under an older one stay as they were read until `failures retry` or a replay. */
  readonly parserVersion: string;
  /** True when its filings stand in `/events`. */
  readonly isEvent: boolean;
  /** Throws ParseError and nothing else. */
  readonly parse: (submission: Submission) => ParsedFiling;
};
