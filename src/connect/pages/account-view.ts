import type { Fault } from './fields.ts';

/** What every section of the account may need. */
export type AccountView = {
  readonly formToken: string;
  readonly once: string;
  readonly fault: Fault | null;
  readonly sessionKeyId: string;
};
