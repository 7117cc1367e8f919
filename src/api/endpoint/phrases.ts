import { z } from 'zod';
import { nearest } from '../../domain/search/spelling.ts';

/** The rule of one parameter of an endpoint, and what was given for it. */
type Broken = { readonly schema: unknown; readonly given: unknown; readonly issue: z.core.$ZodIssue };

/**
 * What a parameter must be, as the predicate of a sentence ("must be 1 to 100"). This is the only table of
 * phrases for what a schema refuses; a schema with a shape of its own brings its phrase as a message.
 */
export function phraseFor({ schema, given, issue }: Broken): string {
  if (given === undefined) return 'is required';
  const base = innermost(schema);
  if (base instanceof z.ZodNumber) return phraseOfNumber(base, issue);
  if (base instanceof z.ZodEnum) return phraseOfChoice(base.options.map(String), given);
  if (base instanceof z.ZodArray) return phraseOfList(base, { schema: base.element, given, issue });
  return issue.code === 'invalid_type' ? 'must be a text' : issue.message;
}

function phraseOfNumber({ minValue, maxValue }: z.ZodNumber, { code }: z.core.$ZodIssue): string {
  const isWhole = code === 'too_big' || code === 'too_small';
  return `must be ${isWhole ? '' : 'a whole number from '}${minValue} to ${maxValue}`;
}

function phraseOfChoice(choices: readonly string[], given: unknown): string {
  const found = nearest(String(given), choices);
  return `must be ${oneOf(choices)}${found === null ? '' : `; ${meaning(found)}`}`;
}

function phraseOfList(list: z.ZodArray, { issue, ...item }: Broken): string {
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} items`;
  const [at] = issue.path.slice(1);
  if (typeof at !== 'number' || !Array.isArray(item.given)) return 'must be a list of texts';
  const phrase = phraseFor({ schema: list.element, given: item.given[at], issue });
  return `has an item ${at + 1} that ${phrase}`;
}

/** A name that is none of the known ones, with the nearest of them, else all. */
export function phraseOfUnknown(given: string, known: readonly string[]): string {
  const found = nearest(given, known);
  if (found !== null) return `is not a parameter here; ${meaning(found)}`;
  return `is not a parameter here; ${known.length === 0 ? 'there are none' : `known are ${known.join(', ')}`}`;
}

/** The nearest name, in the same words everywhere. */
export function meaning(name: string): string {
  return `you may mean ${name}`;
}

function oneOf(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join() : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
}

/** The schema itself, without defaults, options and transformations around it. */
export function innermost(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return innermost(schema.unwrap());
  if (schema instanceof z.ZodPipe) return innermost(schema.in);
  return schema;
}
