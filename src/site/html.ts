const MARKUP = Symbol('markup');

/** Markup that is safe to send, made by {@link html} or {@link trusted}. */
export type Html = { readonly [MARKUP]: string };

/** A value in a template. Text is escaped, and absent values write nothing. */
export type Part = Html | string | number | bigint | null | undefined | false | readonly Part[];

/**
 * A template of markup: every value is escaped, for text and for quoted attributes alike, unless it
 * is markup itself. Attribute values must be quoted.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [at, part] of parts.entries()) markup += written(part) + (strings[at + 1] ?? '');
  return { [MARKUP]: markup };
}

/** Markup from elsewhere, unchanged. Never use it for text of a request or a filing. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

export function markupOf(part: Html): string {
  return part[MARKUP];
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(written).join('');
  if (typeof part === 'object') return (part as Html)[MARKUP];
  return escaped(String(part));
}
