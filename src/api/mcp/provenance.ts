const ACCESSION = /^\d{10}-\d{2}-\d{6}$/;

/**
 * The source of a result, in the same form for every tool (rule 11.9). Read from the body, so a new
 * endpoint needs nothing for it.
 */
export function provenanceOf(body: unknown) {
  const [accessions, times, versions] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const members = { accession_number: accessions, retrieved_at: times, parser_version: versions };
  collect(body, new Map(Object.entries(members)));
  return {
    source: 'SEC EDGAR',
    accession_numbers: [...accessions].filter((text) => ACCESSION.test(text)),
    // ISO 8601 in UTC sorts by time.
    retrieved_at: [...times].sort().at(-1) ?? null,
    parser_version: [...versions].sort().join(', ') || null,
  };
}

function collect(node: unknown, found: ReadonlyMap<string, Set<string>>): void {
  if (node === null || typeof node !== 'object') return;
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === 'string') found.get(name)?.add(value);
    else if (name === 'evidence_ids' && Array.isArray(value)) {
      // `sec:13f:<accession>`, `sec:form4:<accession>`.
      for (const id of value) found.get('accession_number')?.add(String(id).split(':').at(-1) ?? '');
    } else collect(value, found);
  }
}
