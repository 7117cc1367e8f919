import type { Ownership } from '../../domain/filing/filing.ts';
import type { FormModule } from '../form.ts';
import { parseOwnership, storedOwnership } from '../ownership/document.ts';

const CARRIES = ['4', '4/A'] as const;

/** Changes in beneficial ownership of insiders, due within two business days. */
export const form4: FormModule<Ownership> = {
  name: 'form-4',
  carries: CARRIES,
  about: 'Changes in beneficial ownership of insiders (Form 4) and their amendments.',
  parserVersion: 'form4-3',
  feed: { type: '4', owner: 'only' },
  leg: 'form4',
  isEvent: true,
  followers: ['brief', 'insider'],
  parse: (submission) => parseOwnership(submission, CARRIES),
  stored: storedOwnership,
};
