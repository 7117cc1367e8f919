import type { Fault } from './fields.ts';

/** What the sections of the account page need. */
export type AccountView = {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly formToken: string;
  /** Makes a form one that is accepted once. */
  readonly once: string;
  readonly fault: Fault | null;
  readonly sessionKeyId: string;
};
