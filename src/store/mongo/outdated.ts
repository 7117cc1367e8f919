import { AppError } from '../../errors.ts';

/** What is stored is not what this version stores, and no mark would make it so. */
export function outdated(what: string): AppError {
  return new AppError(
    'store_outdated',
    `${what} was stored by an older version of Tidemark: replay the filings into a new home`,
    { public: 'The data of this installation is of an older version.' },
  );
}
