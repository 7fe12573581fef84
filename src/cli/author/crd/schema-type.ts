/*
 * A structural schema as the text of a TypeScript type. Structural schemas say the shape with `type`, `properties`,
 * `items` and `additionalProperties` alone: `anyOf` and its like only restrict values, and are passed over. Fields are
 * readonly, since what a hook is given is not to be changed.
 */

import { UsageError } from '../../../errors.ts';
import { comment, INDENT } from './comment.ts';
import { quoted } from './quoted.ts';
import { isObject } from '../../../lib/json-object.ts';

type Schema = Readonly<Record<string, unknown>>;

/** How much of all schemas was printed: a bound for what hostile files can ask for. */
export interface PrintBudget {
  nodes: number;
}

const MAX_NODES = 200_000;
const ANY = 'unknown';

/** The type of values of a schema; `depth` is the number of levels that its text is indented by. */
export function schemaType(value: unknown, depth: number, budget: PrintBudget): string {
  budget.nodes += 1;
  if (budget.nodes > MAX_NODES) throw new UsageError(`types: the schemas have more than ${MAX_NODES} parts`);
  const schema = isObject(value) ? value : {};
  const type = literals(schema) ?? plainType(schema, depth, budget);
  return schema['nullable'] === true && type !== ANY ? `${type} | null` : type;
}

function literals({ enum: values }: Schema): string | undefined {
  if (!Array.isArray(values) || values.length === 0) return undefined;
  const texts = values.map((value: unknown) => {
    if (typeof value === 'string') return quoted(value);
    return typeof value === 'object' && value !== null ? ANY : JSON.stringify(value);
  });
  return texts.includes(ANY) ? ANY : [...new Set(texts)].join(' | ');
}

function plainType(schema: Schema, depth: number, budget: PrintBudget): string {
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  switch (schema['type']) {
    case 'string':
    case 'boolean':
      return schema['type'];
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return listType(schema, depth, budget);
    case 'object':
      return objectType(schema, depth, budget);
    default:
      return isObject(schema['properties']) ? objectType(schema, depth, budget) : ANY;
  }
}

function listType({ items }: Schema, depth: number, budget: PrintBudget): string {
  const element = schemaType(items, depth, budget);
  return /^[\w.]+$/.test(element) ? `readonly ${element}[]` : `ReadonlyArray<${element}>`;
}

function objectType(schema: Schema, depth: number, budget: PrintBudget): string {
  const { additionalProperties: others } = schema;
  const lines = fieldLines(schema, depth + 1, budget);
  if (lines.length === 0) {
    return `Readonly<Record<string, ${isObject(others) ? schemaType(others, depth, budget) : ANY}>>`;
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || others === true;
  const open = isOpen ? [`${INDENT.repeat(depth + 1)}readonly [field: string]: unknown;`] : [];
  return `{\n${[...lines, ...open].join('\n')}\n${INDENT.repeat(depth)}}`;
}

/** The fields of an object, a line or more each. */
export function fieldLines(schema: Schema, depth: number, budget: PrintBudget): readonly string[] {
  const embedded = schema['x-kubernetes-embedded-resource'] === true ? EMBEDDED : {};
  const properties = { ...embedded, ...(isObject(schema['properties']) ? schema['properties'] : {}) };
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, value]) => {
    const isRequired = required.includes(name) || (name !== 'metadata' && Object.hasOwn(embedded, name));
    const type = schemaType(value, depth, budget);
    const text = `${INDENT.repeat(depth)}readonly ${keyText(name)}${isRequired ? '' : '?'}: ${type};`;
    return `${comment(isObject(value) ? value['description'] : undefined, depth)}${text}`;
  });
}

/** The fields that every object has. */
const EMBEDDED = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
};

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function keyText(name: string): string {
  return IDENTIFIER.test(name) ? name : quoted(name);
}
