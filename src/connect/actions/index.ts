import type { Action } from '../answer.ts';
import { labelKeyForm } from './label-key.ts';
import { mintKeyForm } from './mint-key.ts';
import { redeemForm } from './redeem.ts';
import { revokeKeyForm } from './revoke-key.ts';
import { rotateKeyForm } from './rotate-key.ts';
import { signInForm } from './sign-in.ts';
import { signOutForm } from './sign-out.ts';
import { signUpForm } from './sign-up.ts';
import { watchlistForm } from './watchlist.ts';

/** Every form, by its path below `/connect`. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  'sign-up': signUpForm,
  'sign-in': signInForm,
  'sign-out': signOutForm,
  'keys/mint': mintKeyForm,
  'keys/label': labelKeyForm,
  'keys/rotate': rotateKeyForm,
  'keys/revoke': revokeKeyForm,
  voucher: redeemForm,
  watchlist: watchlistForm,
};
