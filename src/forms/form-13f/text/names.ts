import { squeeze } from '../../value.ts';
import { type Columns, lastFieldStart } from './columns.ts';

export type Names = { readonly issuer: string; readonly titleOfClass: string };

export const NO_NAMES: Names = { issuer: '', titleOfClass: '' };

/**
 * Issuer and class left of the CUSIP: split where most classes of the page begin, else at the last gap of
 * two blanks. Without a gap the column alone decides.
 */
export function namesIn(text: string, { titleStart }: Pick<Columns, 'titleStart'>): Names {
  const plain = text.trimEnd();
  const begins = plain.search(/\S/);
  if (begins < 0) return NO_NAMES;
  const gap = lastFieldStart(plain);
  const cut = cutOf(plain, titleStart, gap);
  if (titleStart !== null && begins >= titleStart - 2) return { issuer: '', titleOfClass: squeeze(plain) };
  return { issuer: squeeze(plain.slice(0, cut)), titleOfClass: squeeze(plain.slice(cut)) };
}

/** Joins a name over two lines. */
export function joined(a: Names, b: Names): Names {
  return {
    issuer: squeeze(`${a.issuer} ${b.issuer}`),
    titleOfClass: squeeze(`${a.titleOfClass} ${b.titleOfClass}`),
  };
}

function cutOf(plain: string, titleStart: number | null, gap: number | null): number {
  if (titleStart !== null && plain[titleStart - 1] === ' ' && (plain[titleStart] ?? ' ') !== ' ')
    return titleStart;
  if (gap !== null) return gap;
  return titleStart !== null && plain.length > titleStart ? titleStart : plain.length;
}
