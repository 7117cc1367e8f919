/** One thing wrong with a request, by the parameter or header that carries it. */
export type Detail = { readonly param: string; readonly reason: string; readonly value?: string };

/** Problems that the sentence of an error spells out; `details` always has all. */
const MAX_SPELT_OUT = 5;
const NUMBER = /^-?\d{1,15}(\.\d+)?$/;

/**
 * What is wrong with a request, as one sentence for each problem: "limit must be 1 to 100, not 1000." A reason
 * is a predicate of its parameter, and after a semicolon what helps further.
 */
export function sentenceOf(details: readonly Detail[]): string {
  const sentences = details.slice(0, MAX_SPELT_OUT).map(({ param, reason, value }) => {
    const [claim, ...help] = reason.split('; ');
    // The value is only in contrast to what it must be.
    const given = value !== undefined && claim?.startsWith('must be ') ? `, not ${shown(value)}` : '';
    return `${[`${param} ${claim}${given}`, ...help].join('; ')}.`;
  });
  const more = details.length - sentences.length;
  return [...sentences, ...(more > 0 ? [`${more} more in details.`] : [])].join(' ');
}

function shown(value: string): string {
  return NUMBER.test(value) ? value : `"${value}"`;
}
