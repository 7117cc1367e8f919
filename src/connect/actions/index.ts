import type { Action } from '../answer.ts';
import { labelKeyForm, mintKeyForm, revokeKeyForm, rotateKeyForm } from './keys.ts';
import { recoverForm, recoveryCodeForm } from './recovery.ts';
import { signInForm, signOutForm, signUpForm } from './sign-up.ts';
import { redeemForm, watchlistForm } from './watchlist.ts';

/** Every form, by its path below `/connect`. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  'sign-up': signUpForm,
  'sign-in': signInForm,
  'sign-out': signOutForm,
  recover: recoverForm,
  'recovery-code': recoveryCodeForm,
  'keys/mint': mintKeyForm,
  'keys/label': labelKeyForm,
  'keys/rotate': rotateKeyForm,
  'keys/revoke': revokeKeyForm,
  voucher: redeemForm,
  watchlist: watchlistForm,
};
