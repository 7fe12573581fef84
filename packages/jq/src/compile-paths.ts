// Filters whose outputs are parts of their input: `.name`, `.[key]`, slices, `.[]` and `..`. If paths are tracked, each
// emits its output with the path of that output (see path.ts), which `path(…)`, assignments and deletions rely on. If
// they are not (`path` is undefined), no path is built and the shortcut `one` of the target is used.

import { getKey } from './access.ts';
import type { Context } from './context.ts';
import { forEachOutput, type Compiled, type Emit, type Env, type One } from './machine.ts';
import type { Meter } from './meter.ts';
import { checkIterable, extendPath, type Path } from './path.ts';
import type { Scope } from './scope.ts';
import { raise } from './signals.ts';
import type { Node } from './syntax.ts';
import { isArray, isObject, ownKeys, typeName, type JsonValue } from './value.ts';
import { excerpt } from './json-text.ts';

type NodeOf<T extends Node['type']> = Extract<Node, { readonly type: T }>;

/** `.` */
export const IDENTITY: Compiled = {
  one: (value) => value,
  run: (value, path, _env, emit) => {
    emit(value, path);
    return undefined;
  },
};

/** `.name` and `.[key]` */
export function compileIndex(node: NodeOf<'index'>, context: Context, scope: Scope): Compiled {
  const target = context.compile(node.target, scope);
  if (node.key.type === 'literal') return indexByConstant(target, node.key.value);
  return indexByFilter(target, context.compile(node.key, scope));
}

/** `.[from:to]` */
export function compileSlice(node: NodeOf<'slice'>, context: Context, scope: Scope): Compiled {
  const from = context.compile(node.from, scope);
  const to = context.compile(node.to, scope);
  const key: Compiled = {
    run: (value, _path, env, emit) => {
      forEachOutput(from, value, env, (start) => {
        forEachOutput(to, value, env, (end) => emit({ start, end }, undefined));
      });
      return undefined;
    },
  };
  return indexByFilter(context.compile(node.target, scope), key);
}

/** `.[]` */
export function compileIterate(node: NodeOf<'iterate'>, context: Context, scope: Scope): Compiled {
  const { meter } = context;
  if (node.target.type === 'identity') {
    return {
      run: (value, path, _env, emit) => {
        eachElement(value, path, meter, emit);
        return undefined;
      },
    };
  }
  const target = context.compile(node.target, scope);
  return {
    run: (value, path, env, emit) => {
      if (target.one !== undefined && path === undefined) {
        eachElement(target.one(value, env), undefined, meter, emit);
      } else {
        target.run(value, path, env, (container, at) => eachElement(container, at, meter, emit));
      }
      return undefined;
    },
  };
}

/** Emits each element of an array or each value of an object. */
export function eachElement(value: JsonValue, path: Path, meter: Meter, emit: Emit): void {
  checkIterable(path, value);
  if (isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      meter.tick();
      emit(value[index] ?? null, path === undefined ? undefined : { parent: path, key: index });
    }
  } else if (isObject(value)) {
    for (const key of ownKeys(value)) {
      meter.tick();
      emit(value[key] ?? null, path === undefined ? undefined : { parent: path, key });
    }
  } else {
    raise(`Cannot iterate over ${typeName(value)} (${excerpt(value)})`);
  }
}

/** `..`: emits the value and everything inside it, each container before its contents. */
export function recurseDefault(meter: Meter): Compiled {
  return {
    run: (value, path, _env, emit) => {
      // The containers that are being visited, the innermost last. An explicit stack, as values may be nested deeper
      // than the call stack allows. Children are made one by one, so that a wide container is left at the limits, too.
      const visits: Visit[] = [];
      const enter = (next: JsonValue, at: Path): void => {
        meter.tick();
        emit(next, at);
        const visit = visitOf(next, at);
        if (visit !== undefined) visits.push(visit);
      };
      enter(value, path);
      for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
        if (visit.done === visit.length) visits.pop();
        else enterNext(visit, enter);
      }
      return undefined;
    },
  };
}

/** A container of which the first `done` children were visited. */
interface Visit {
  readonly value: JsonValue;
  readonly path: Path;
  /** Of an object. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  done: number;
}

function visitOf(value: JsonValue, path: Path): Visit | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  checkIterable(path, value);
  if (isArray(value)) return { value, path, keys: undefined, length: value.length, done: 0 };
  const keys = ownKeys(value);
  return { value, path, keys, length: keys.length, done: 0 };
}

function enterNext(visit: Visit, enter: (value: JsonValue, path: Path) => void): void {
  const { value, path, keys, done } = visit;
  visit.done += 1;
  const key = keys?.[done] ?? done;
  const child = isArray(value) ? value[done] : isObject(value) ? value[String(key)] : null;
  enter(child ?? null, path === undefined ? undefined : { parent: path, key });
}

function indexByConstant(target: Compiled, key: JsonValue): Compiled {
  const get = typeof key === 'string' ? fieldGetter(key) : (value: JsonValue) => getKey(value, key);
  const { one } = target;
  const run = (value: JsonValue, path: Path, env: Env, emit: Emit): undefined => {
    if (one !== undefined && path === undefined) {
      emit(get(one(value, env)), undefined);
    } else {
      target.run(value, path, env, (container, at) => {
        const keyPath = extendPath(at, key, container);
        emit(get(container), keyPath);
      });
    }
    return undefined;
  };
  return one === undefined ? { run } : { run, one: indexOne(one, get) };
}

function indexOne(target: One, get: (value: JsonValue) => JsonValue): One {
  if (target === IDENTITY.one) return get;
  return (value, env) => get(target(value, env));
}

/** `getKey` for a constant name, with a fast path for the fields of an object. */
function fieldGetter(name: string): (value: JsonValue) => JsonValue {
  if (name in Object.prototype) return (value) => getKey(value, name);
  return (value) => {
    if (typeof value === 'object' && value !== null && isObject(value)) return value[name] ?? null;
    return getKey(value, name);
  };
}

function indexByFilter(target: Compiled, key: Compiled): Compiled {
  const run = (value: JsonValue, path: Path, env: Env, emit: Emit): undefined => {
    forEachOutput(key, value, env, (keyValue) => {
      target.run(value, path, env, (container, at) => {
        const keyPath = extendPath(at, keyValue, container);
        emit(getKey(container, keyValue), keyPath);
      });
    });
    return undefined;
  };
  const { one: targetOne } = target;
  const { one: keyOne } = key;
  if (targetOne === undefined || keyOne === undefined) return { run };
  return {
    run,
    one: (value, env) => {
      const keyValue = keyOne(value, env);
      return getKey(targetOne(value, env), keyValue);
    },
  };
}
