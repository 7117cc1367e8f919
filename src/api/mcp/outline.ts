import type { JsonSchema } from '../openapi/json-schema.ts';

/**
 * A shorter schema that is as true: it accepts whatever the whole one accepts. It types the members of the
 * first `levels` objects, lists not counted, and names those below that are never absent. Values of a closed
 * list stay; patterns, formats and descriptions do not.
 */
export function outlineOf(schema: JsonSchema, levels: number): JsonSchema {
  const { type, properties, items, oneOf, anyOf } = schema;
  const forms = (oneOf ?? anyOf) as readonly JsonSchema[] | undefined;
  if (properties === undefined && forms !== undefined) return outlineOfForms(forms);
  if (isMembers(properties)) return { type, ...membersOf(schema, properties, levels) };
  if (isSchema(items)) return { type, items: outlineOf(items, levels) };
  return plainOf(schema);
}

type Members = Readonly<Record<string, JsonSchema>>;

function membersOf(schema: JsonSchema, members: Members, levels: number): JsonSchema {
  if (levels === 0) return namesOf(requiredIn(schema));
  const outlines = Object.entries(members).map(([name, member]) => [name, outlineOf(member, levels - 1)]);
  return { properties: Object.fromEntries(outlines) };
}

/** What all forms of a value have. */
function outlineOfForms(forms: readonly JsonSchema[]): JsonSchema {
  if (forms.some(({ type }) => type !== 'object')) return {};
  const [first = [], ...others] = forms.map(requiredIn);
  return {
    type: 'object',
    ...namesOf(first.filter((name) => others.every((names) => names.includes(name)))),
  };
}

/** A list of values says their type, too. */
function plainOf({ type, enum: values, const: value }: JsonSchema): JsonSchema {
  if (values !== undefined) return { enum: values };
  if (value !== undefined) return { const: value };
  return type === undefined ? {} : { type };
}

function namesOf(required: readonly string[]): JsonSchema {
  return required.length === 0 ? {} : { required };
}

function requiredIn({ required }: JsonSchema): readonly string[] {
  return Array.isArray(required) ? required : [];
}

function isMembers(value: unknown): value is Members {
  return isSchema(value) && Object.keys(value).length > 0;
}

function isSchema(value: unknown): value is JsonSchema {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
