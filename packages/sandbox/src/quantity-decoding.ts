import { undecodable } from './data-validation.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { ServedKind } from './kind.ts';
import type { Field } from './messages/field.ts';
import { membersOf, messageOfKind } from './messages/messages.ts';
import { quantityProblem } from './quantity.ts';

/** Throws the 400 with which the server refuses an object that has, where a quantity belongs, something else. */
export function requireQuantities(kind: ServedKind, object: JsonObject): void {
  const message = messageOfKind(kind);
  const problem = message === undefined ? undefined : problemIn(message, object);
  if (problem !== undefined) throw undecodable(kind, problem);
}

function problemIn(message: string, value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const members = membersOf(message);
  return firstProblem(Object.entries(value), ([name, member]) => {
    const field = members.get(name);
    return field === undefined ? undefined : problemOf(field, member);
  });
}

function problemOf(field: Field, value: JsonValue): string | undefined {
  const each = (one: JsonValue): string | undefined =>
    field.type === 'quantity' ? quantityProblemOf(one) : problemIn(field.type, one);
  if (field.shape === 'list') return isJsonArray(value) ? firstProblem(value, each) : undefined;
  if (field.shape === 'map') return isJsonObject(value) ? firstProblem(Object.values(value), each) : undefined;
  return each(value);
}

function quantityProblemOf(value: JsonValue): string | undefined {
  if (value === null) return undefined;
  return quantityProblem(typeof value === 'string' ? value.trim() : JSON.stringify(value));
}

function firstProblem<Part>(parts: readonly Part[], problem: (part: Part) => string | undefined): string | undefined {
  for (const part of parts) {
    const found = problem(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
