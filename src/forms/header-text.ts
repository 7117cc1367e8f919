import type { RawHeader, RawParty } from './header.ts';

/**
 * The header of `<accession>.txt`: `NAME:<tabs>value` lines. A section such as `REPORTING-OWNER:` starts
 * at the margin and has indented fields.
 */
export function readTextHeader(text: string): RawHeader {
  const top = new Map<string, string>();
  const parties: Map<string, string>[] = [];
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    if (line.startsWith('\t') || line.startsWith(' ')) setOnce(parties.at(-1), name, value);
    else if (value === '') parties.push(new Map([['', name.replace(/ /g, '-')]]));
    else setOnce(top, name, value);
  }
  return {
    accession: top.get('ACCESSION NUMBER'),
    form: top.get('CONFORMED SUBMISSION TYPE'),
    filed: top.get('FILED AS OF DATE'),
    accepted: /<ACCEPTANCE-DATETIME>[ \t]*(\d+)/.exec(text)?.[1],
    period: top.get('CONFORMED PERIOD OF REPORT'),
    documentCount: top.get('PUBLIC DOCUMENT COUNT'),
    parties: parties.map(rawPartyOf),
  };
}

/** The first occurrence counts, because a party's own name comes before its former names. */
function setOnce(fields: Map<string, string> | undefined, name: string, value: string): void {
  if (fields !== undefined && !fields.has(name)) fields.set(name, value);
}

function rawPartyOf(fields: ReadonlyMap<string, string>): RawParty {
  return {
    section: fields.get('') ?? '',
    name: fields.get('COMPANY CONFORMED NAME'),
    cik: fields.get('CENTRAL INDEX KEY'),
    fileNumber: fields.get('SEC FILE NUMBER'),
  };
}
