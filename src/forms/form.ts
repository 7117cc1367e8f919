import type { Follower, Leg, ParsedFiling, StoredFiling } from '../domain/filing/filing.ts';
import type { Submission } from './sgml.ts';

/** Everything that the system knows of a form. A new form is one folder and one line in `index.ts`. */
export type FormModule<Filing extends ParsedFiling = ParsedFiling> = {
  /** Stable, kebab-case: names the form in logs and dashboards. */
  readonly name: string;
  /** EDGAR form types, exactly as the feed and the header spell them. */
  readonly carries: readonly string[];
  readonly about: string;
  /**
   * Rises with every change of output. Filings stored under an older version stay as they were read
   * until `tidemark reparse`.
   */
  readonly parserVersion: string;
  /** The filter of EDGAR's feed of current filings. `type` is a prefix: `4` also answers 424B2. */
  readonly feed: { readonly type: string; readonly owner: 'include' | 'only' };
  /** Null for a form that no brief counts. */
  readonly leg: Leg | null;
  /** True when its filings stand in `/events`. */
  readonly isEvent: boolean;
  /** What has to be computed again when a filing of the form was parsed. */
  readonly followers: readonly Follower[];
  /** Throws ParseError and nothing else. */
  readonly parse: (submission: Submission) => Filing;
  /** A method, not a property, so that a module of one kind of filing fits the list of all forms. */
  stored(filing: Filing): StoredFiling;
};
