import type { Action } from '../answer.ts';
import { labelKeyForm, mintKeyForm, revokeKeyForm, rotateKeyForm } from './keys.ts';
import { recoverForm, recoveryCodeForm } from './recovery.ts';
import { redeemForm } from './redeem.ts';
import { signInForm, signOutForm } from './sign-in.ts';
import { signUpForm } from './sign-up.ts';
import { watchlistForm } from './watchlist.ts';

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
