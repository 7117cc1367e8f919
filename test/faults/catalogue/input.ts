/** B: input that is damaged or hostile. A typed error or the right result; the bytes are kept; the worker lives. */
export const INPUT = {
  B01: {
    what: 'A filing that ends early, anywhere',
    pass: 'refused; never a part of the holdings',
    files: ['test/faults/input/damaged.test.ts', 'src/forms/index.test.ts', 'test/flow/broken.test.ts'],
  },
  B02: {
    what: 'Other encodings, byte order marks, a wrong declaration, NUL',
    pass: 'decoded right or refused',
    files: ['src/forms/decode.test.ts'],
  },
  B03: {
    what: 'Bombs: size, depth, text, attributes',
    pass: 'refused by limits within five seconds',
    files: [
      'test/faults/input/bombs.test.ts',
      'src/forms/xml.test.ts',
      'src/edgar/reference/damaged.test.ts',
      'test/edgar/client.test.ts',
    ],
  },
  B04: {
    what: 'DOCTYPE, external and nested entities',
    pass: 'refused before they are read; no connection',
    files: ['test/faults/input/bombs.test.ts', 'src/forms/xml.test.ts'],
  },
  B05: {
    what: 'An HTML block page, a JSON error, an empty body, a PDF',
    pass: 'not a filing',
    files: ['src/forms/index.test.ts', 'test/edgar/client.test.ts', 'src/edgar/client/judge.test.ts'],
  },
  B06: {
    what: 'Full submissions with several documents, envelopes, without a table',
    pass: 'the right part or a typed error',
    files: ['src/forms/sgml.test.ts', 'src/forms/index.test.ts', 'src/forms/form-13f/thirteen-f.test.ts'],
  },
  B07: {
    what: 'CUSIPs of digits only, with an E, lower case, too short, with a wrong check digit',
    pass: 'kept as text; a bad one is flagged',
    files: [
      'src/domain/ids.test.ts',
      'src/forms/mutated-rows.test.ts',
      'src/forms/form-13f/thirteen-f.test.ts',
    ],
  },
  B08: {
    what: 'Negative, fractional, empty and enormous numbers',
    pass: 'exact or an error of the row; no float',
    files: ['src/forms/value.test.ts', 'src/forms/mutated-rows.test.ts'],
  },
  B09: {
    what: 'Values in thousands and in dollars, and in the wrong one',
    pass: 'by the date of filing; a doubt is flagged',
    files: ['src/domain/report/scale-date.test.ts', 'src/domain/report/scale.test.ts'],
  },
  B10: {
    what: 'Duplicate rows, options, other managers, principal amounts',
    pass: 'added up as documented, equal to a reference',
    files: ['src/domain/report/aggregate.test.ts'],
  },
  B11: {
    what: 'No holdings, a notice, totals that differ from the cover',
    pass: 'handled; a difference is flagged',
    files: ['test/flow/kinds.test.ts', 'src/forms/mutated-rows.test.ts'],
  },
  B12: {
    what: 'Dates in the future, before the period, that do not exist; daylight saving',
    pass: 'refused or flagged; UTC is right',
    files: ['src/forms/header.test.ts', 'src/forms/value.test.ts', 'src/forms/form-13f/thirteen-f.test.ts'],
  },
  B13: {
    what: 'Accession numbers and CIKs that differ; tickers like META and NONE',
    pass: 'refused or flagged; no queue breaks',
    files: ['src/forms/sgml.test.ts', 'queues/queue.test.ts'],
  },
  B14: {
    what: 'Form 4 without a price, with derivatives, several owners, amendments of unknown originals',
    pass: 'only open-market trades count',
    files: [
      'src/domain/insider/amendment.test.ts',
      'src/domain/insider/all-rows.test.ts',
      'src/forms/form-4/form-4.test.ts',
      'src/domain/brief/insider-leg.test.ts',
    ],
  },
  B15: {
    what: 'Properties of changes and ids',
    pass: 'no counterexample',
    files: [
      'src/domain/change/diff.test.ts',
      'src/domain/canonical.test.ts',
      'src/domain/brief/brief.test.ts',
    ],
  },
} as const;
