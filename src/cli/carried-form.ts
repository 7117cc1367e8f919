import { InvalidArgumentError } from 'commander';
import { FORMS } from '../forms/index.ts';

/** A form type that is carried, with its amendments. Throws what commander prints as a mistake at the command line. */
export function carriedForm(text: string): string {
  const carried = FORMS.flatMap(({ carries }) => carries);
  if (carried.includes(text)) return text;
  throw new InvalidArgumentError(`Carried forms: ${carried.join(', ')}.`);
}
