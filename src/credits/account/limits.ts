const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** What the account pages allow: so many in so many seconds, over all processes (rule 12.5). */
export const ACCOUNT_LIMITS = {
  /** Organisations made from one address. */
  sign_up: { points: 5, duration: HOUR },
  /** Sign-up attempts from one address, with taken names too. */
  sign_up_try: { points: 30, duration: HOUR },
  /** Sign-ins from one address, with right and wrong keys or recovery codes. */
  sign_in: { points: 20, duration: 15 * MINUTE },
  /** Keys made by one organisation, rotations included. */
  mint: { points: 20, duration: HOUR },
  /** Recovery codes made by one organisation. */
  recovery: { points: 20, duration: HOUR },
  /** Invalid codes, of one organisation at one address. */
  voucher: { points: 10, duration: HOUR },
  /** Pages and forms of one organisation: each reads MongoDB and Redis. */
  page: { points: 120, duration: MINUTE },
} as const;

/** In which the free credits of all new organisations together, or of an invite code, are given out. */
export const FREE_CREDITS_SECONDS = 24 * HOUR;

/** How long a visitor stays signed in. */
export const SESSION_SECONDS = 12 * HOUR;
