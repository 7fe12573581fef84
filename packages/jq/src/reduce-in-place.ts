import { getKey, setKey } from './access.ts';
import { COMBINE } from './compile-assign.ts';
import type { Context } from './context.ts';
import type { Env, One } from './machine.ts';
import { meter } from './meter.ts';
import { add } from './operators.ts';
import type { Scope } from './scope.ts';
import type { Node } from './syntax.ts';
import { copyObject, isArray, isObject, ownKeys, setOwn, type JsonObject, type JsonValue } from './value.ts';

/** The container that one reduce owns: a copy that nothing else references; undefined before the first copy is made. */
export interface OwnedState {
  container: JsonValue[] | Record<string, JsonValue> | undefined;
}

/** One step of a reduce: returns the next state, and may write into the owned container. */
export type InPlaceStep = (state: JsonValue, env: Env, owned: OwnedState) => JsonValue;

/**
 * Compiles the update of a reduce so that it writes into the state, or returns undefined if that is not safe. Otherwise
 * building an array or an object element by element would copy it for every element. It is safe if the update has the
 * form `.[key] op value`, `.[key] |= f` or `. + value` and the value cannot contain the state itself. Then the state is
 * copied only once.
 */
export function compileInPlace(update: Node, context: Context, scope: Scope): InPlaceStep | undefined {
  if (update.type === 'binary' && update.operator === '+' && update.left.type === 'identity') {
    const value = valueOne(update.right, context, scope);
    return value === undefined ? undefined : (state, env, owned) => append(state, value(state, env), owned);
  }
  if (update.type !== 'assign' || update.left.type !== 'index' || update.left.target.type !== 'identity')
    return undefined;
  const key = valueOne(update.left.key, context, scope);
  if (key === undefined) return undefined;
  const change = compileChange(update, context, scope);
  return change === undefined
    ? undefined
    : (state, env, owned) => {
        const newFor = change(state, env);
        const name = key(state, env);
        return store(state, name, newFor(getKey(state, name)), owned);
      };
}

type AssignNode = Extract<Node, { readonly type: 'assign' }>;
type Change = (state: JsonValue, env: Env) => (old: JsonValue) => JsonValue;

/** Compiles the function that computes the new value of a key from the old one. */
function compileChange(update: AssignNode, context: Context, scope: Scope): Change | undefined {
  if (update.operator === '|=') {
    const { one } = context.compile(update.right, scope);
    return one === undefined ? undefined : (_state, env) => (old) => one(old, env);
  }
  const value = valueOne(update.right, context, scope);
  if (value === undefined) return undefined;
  const combine = COMBINE[update.operator];
  return (state, env) => {
    const operand = value(state, env);
    return (old) => combine(old, operand);
  };
}

function valueOne(node: Node, context: Context, scope: Scope): One | undefined {
  return isApartFromInput(node) ? context.compile(node, scope).one : undefined;
}

const APART: ReadonlySet<Node['type']> = new Set(['literal', 'variable', 'string', 'format', 'negate', 'and', 'or']);
const APART_CALLS: ReadonlySet<string> = new Set([
  'length',
  'keys',
  'type',
  'tostring',
  'tojson',
  'not',
  'null',
  'true',
  'false',
]);

/** Whether no output of `node` can be its input or contain it. */
function isApartFromInput(node: Node): boolean {
  if (APART.has(node.type)) return true;
  if (node.type === 'call') return node.args.length === 0 && APART_CALLS.has(node.name);
  if (node.type === 'index' && node.target.type === 'identity') return true;
  const parts = partsOf(node);
  return parts?.every(isApartFromInput) ?? false;
}

/** The parts from which the outputs of `node` are made; undefined if that is not known. */
function partsOf(node: Node): readonly Node[] | undefined {
  if (node.type === 'index') return [node.target];
  if (node.type === 'pipe') return [node.left];
  if (node.type === 'binary' || node.type === 'alternative') return [node.left, node.right];
  if (node.type === 'array') return node.body === undefined ? [] : [node.body];
  return node.type === 'object' ? node.entries.map(({ value }) => value) : undefined;
}

function append(state: JsonValue, value: JsonValue, owned: OwnedState): JsonValue {
  if (isArray(state) && isArray(value)) {
    const array = ownArray(state, owned);
    meter().places(value.length);
    for (const item of value) array.push(item);
    return array;
  }
  if (!isObject(state) || !isObject(value)) return add(state, value);
  const object = ownObject(state, owned);
  for (const key of ownKeys(value)) {
    meter().tick();
    setOwn(object, key, value[key] ?? null);
  }
  return object;
}

function store(state: JsonValue, key: JsonValue, value: JsonValue, owned: OwnedState): JsonValue {
  if (typeof key === 'string' && (state === null || isObject(state))) {
    const object = ownObject(state ?? {}, owned);
    setOwn(object, key, value);
    return object;
  }
  if (isArray(state) && typeof key === 'number' && Number.isInteger(key) && key >= 0 && key < state.length) {
    const array = ownArray(state, owned);
    array[key] = value;
    return array;
  }
  return setKey(state, key, value);
}

function ownArray(state: readonly JsonValue[], owned: OwnedState): JsonValue[] {
  const { container } = owned;
  if (container === state && Array.isArray(container)) return container;
  meter().places(state.length);
  const copy = [...state];
  owned.container = copy;
  return copy;
}

function ownObject(state: JsonObject, owned: OwnedState): Record<string, JsonValue> {
  const { container } = owned;
  if (container === state && container !== undefined && !Array.isArray(container)) return container;
  meter().places(ownKeys(state).length);
  const copy = copyObject(state);
  owned.container = copy;
  return copy;
}
