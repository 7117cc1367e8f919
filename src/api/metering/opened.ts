import type { Credential } from '../../credits/wallet.ts';
import type { KeyMode } from '../../store/account/keys.ts';
import type { Outcome, Reading } from '../endpoint/endpoint.ts';
import type { HeaderList } from '../http/base-headers.ts';
import type { NamedCall, Priced } from './idempotency.ts';

/** A call that may do its work. `finishCall` ends it. */
export type OpenedCall = {
  readonly endpoint: Priced;
  readonly credential: Credential;
  readonly mode: KeyMode;
  readonly named: NamedCall;
  readonly balance: number;
  /** Paid before under its Idempotency-Key: it asks for that answer again, so it waits for nothing new. */
  readonly isReplay: boolean;
  readonly run: (reading: Reading) => Promise<Outcome<unknown>>;
  /** What the answer says about the key: its rate limit, and whether it is a test key. */
  readonly keyHeaders: HeaderList;
};

/** The outcome of the work, without its expected errors. */
export type Answered = Exclude<Outcome<unknown>, { readonly kind: 'problem' }>;
