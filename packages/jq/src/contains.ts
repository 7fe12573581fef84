import { meter } from './meter.ts';
import { describe } from './native.ts';
import { areEqual } from './order.ts';
import { raise } from './signals.ts';
import { includesText } from './text-search.ts';
import { isArray, isObject, MAX_DEPTH, ownKeys, ownValue, typeName, type JsonValue } from './value.ts';

/** Whether `part` is contained in `whole`, as jq's `contains` defines it; raises an error if their types differ. */
export function contains(whole: JsonValue, part: JsonValue): boolean {
  if (typeName(whole) !== typeName(part)) {
    raise(`${describe(whole)} and ${describe(part)} cannot have their containment checked`);
  }
  // The questions that are open, the innermost last: values may be nested deeper than the call stack.
  const open = [answer(whole, part)];
  let last: boolean | undefined;
  for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
    meter().tick();
    const { done, value } = last === undefined ? current.next(false) : current.next(last);
    last = undefined;
    if (done === true) {
      last = value;
      open.pop();
    } else {
      if (open.length > MAX_DEPTH) raise('Containment check too deep');
      open.push(answer(value.whole, value.part));
    }
  }
  return last ?? false;
}

interface Question {
  readonly whole: JsonValue;
  readonly part: JsonValue;
}

/** Answers one question; yields those about the elements of containers, and receives their answers. */
function* answer(whole: JsonValue, part: JsonValue): Generator<Question, boolean, boolean> {
  if (isObject(whole) && isObject(part)) {
    for (const key of ownKeys(part)) {
      if (!Object.hasOwn(whole, key)) return false;
      const inside = yield* ask(ownValue(whole, key), ownValue(part, key));
      if (!inside) return false;
    }
    return true;
  }
  if (isArray(whole) && isArray(part)) {
    for (const wanted of part) {
      const found = yield* anyContains(whole, wanted);
      if (!found) return false;
    }
    return true;
  }
  return containsScalar(whole, part);
}

function* anyContains(items: readonly JsonValue[], wanted: JsonValue): Generator<Question, boolean, boolean> {
  for (const item of items) {
    const found = yield* ask(item, wanted);
    if (found) return true;
  }
  return false;
}

/** Asks about two elements. Values of different types just do not match here; scalars need no question. */
function* ask(whole: JsonValue, part: JsonValue): Generator<Question, boolean, boolean> {
  meter().tick();
  if (typeName(whole) !== typeName(part)) return false;
  if (typeof whole !== 'object' || whole === null) return containsScalar(whole, part);
  return yield { whole, part };
}

function containsScalar(whole: JsonValue, part: JsonValue): boolean {
  return typeof whole === 'string' && typeof part === 'string' ? includesText(whole, part) : areEqual(whole, part);
}
