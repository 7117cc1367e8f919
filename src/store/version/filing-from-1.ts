import type { Ownership } from '../../domain/filing/filing.ts';
import type { Leg, ThirteenFContent } from '../../domain/filing/stored.ts';
import type { Cik } from '../../domain/ids.ts';
import type { FilingDoc } from '../filing/filings.ts';

type Kept = Omit<FilingDoc, 'leg' | 'followers' | 'content' | 'rows' | 'tries' | 'reportingOwnerCiks'>;

/** A filing as it was stored while each form had a field of its own. */
export type FilingBefore = Kept & {
  readonly attempt: number;
  readonly ownerCiks: readonly Cik[];
  readonly thirteenF:
    | (Omit<ThirteenFContent, 'kind'> & {
        readonly rowCount: number;
        readonly rowPages: number;
        readonly rowsVersion: string;
      })
    | null;
  readonly ownership: (Omit<Ownership, 'isAmendment'> & { readonly form: string }) | null;
};

/** The same filing with its content by kind. Raw bytes and row pages stay where they are. */
export function migratedFiling(before: FilingBefore): FilingDoc {
  const { thirteenF, ownership, attempt, ownerCiks, ...kept } = before;
  return {
    ...kept,
    tries: attempt,
    reportingOwnerCiks: ownerCiks,
    leg: legOf(kept.form),
    ...contentOf(thirteenF, ownership),
  };
}

function legOf(form: string): Leg {
  return form.startsWith('13F') ? 'thirteen_f' : 'form4';
}

function contentOf(
  thirteenF: FilingBefore['thirteenF'],
  ownership: FilingBefore['ownership'],
): Pick<FilingDoc, 'followers' | 'content' | 'rows'> {
  if (thirteenF !== null) {
    const { rowCount, rowPages, rowsVersion, ...content } = thirteenF;
    return {
      followers: ['report'],
      content: { kind: 'thirteen_f', ...content },
      rows: { source: rowsVersion, pages: rowPages, count: rowCount },
    };
  }
  if (ownership !== null) {
    const { form, ...content } = ownership;
    return {
      followers: ['brief', 'insider'],
      content: { ...content, isAmendment: form === '4/A' },
      rows: null,
    };
  }
  return { followers: [], content: null, rows: null };
}
