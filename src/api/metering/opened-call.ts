import type { Credential } from '../../credits/wallet.ts';
import type { KeyMode } from '../../store/account/keys.ts';
import type { Outcome, Reading } from '../endpoint/endpoint.ts';
import type { HeaderList } from '../http/base-headers.ts';
import type { NamedCall } from './idempotency.ts';

/** A call that may be worked on. To be given to `finishCall`, which ends it. */
export type OpenedCall = {
  readonly credential: Credential;
  readonly mode: KeyMode;
  readonly named: NamedCall;
  readonly balance: number;
  readonly run: (reading: Reading) => Promise<Outcome<unknown>>;
  /** What the answer says of the key: its rate limit, and that it is a test key. */
  readonly keyHeaders: HeaderList;
};
