import { getKey } from './access.ts';
import type { Context } from './context.ts';
import { forEachOutput, withVariable, type Compiled, type Env } from './machine.ts';
import { declare, type Scope } from './scope.ts';
import { describe } from './native.ts';
import { raise } from './signals.ts';
import { patternVariables, type Pattern, type PatternEntry } from './syntax.ts';
import { isArray, typeName, type JsonValue } from './value.ts';

/** Calls `next` with an environment for each way in which the pattern binds its variables to parts of `value`. */
export type Binder = (value: JsonValue, env: Env, next: (bound: Env) => void) => void;

/** The scope with the variables of the patterns, and a binder for each pattern. */
export interface CompiledPatterns {
  readonly scope: Scope;
  readonly binders: readonly Binder[];
}

/**
 * Compiles the alternatives of a pattern. All of them bind the same names; a name that an alternative does not mention
 * is bound to null.
 */
export function compilePatterns(patterns: readonly Pattern[], context: Context, scope: Scope): CompiledPatterns {
  const [only] = patterns;
  if (patterns.length === 1 && only?.type === 'variable') {
    const bind: Binder = (value, env, next) => next(withVariable(env, value));
    return { scope: declare(scope, 'variable', only.name), binders: [bind] };
  }
  const names = [...new Set(patterns.flatMap(patternVariables))];
  let inner = scope;
  for (const name of names) inner = declare(inner, 'variable', name);
  const binders = patterns.map((pattern) => slotBinder(compileSlots(pattern, { names, context, scope: inner }), names));
  return { scope: inner, binders };
}

/** The values bound so far, one for each variable of the pattern, in the order of the names. */
type Slots = readonly JsonValue[];

interface Part {
  readonly value: JsonValue;
  readonly env: Env;
}

type SlotBinder = (part: Part, slots: Slots, next: (slots: Slots) => void) => void;

interface PatternContext {
  readonly names: readonly string[];
  readonly context: Context;
  /** Has all variables of the pattern, as a key expression may use those that are bound before it. */
  readonly scope: Scope;
}

function slotBinder(bind: SlotBinder, names: readonly string[]): Binder {
  const empty = names.map(() => null);
  return (value, env, next) => bind({ value, env }, empty, (slots) => next(slotEnv(env, slots)));
}

function slotEnv(env: Env, slots: Slots): Env {
  return slots.reduce<Env>(withVariable, env);
}

function compileSlots(pattern: Pattern, outer: PatternContext): SlotBinder {
  switch (pattern.type) {
    case 'variable':
      return setSlot(pattern.name, outer);
    case 'array':
      return inOrder(pattern.elements.map((element, index) => compileElement(element, index, outer)));
    case 'object':
      return inOrder(pattern.entries.map((entry) => compileEntry(entry, outer)));
  }
}

function setSlot(name: string, { names }: PatternContext): SlotBinder {
  const index = names.indexOf(name);
  return ({ value }, slots, next) => next(slots.with(index, value));
}

function inOrder(binders: readonly SlotBinder[]): SlotBinder {
  return (part, slots, next) => {
    const bindFrom = (index: number, bound: Slots): void => {
      const bind = binders[index];
      if (bind === undefined) return next(bound);
      bind(part, bound, (more) => bindFrom(index + 1, more));
    };
    bindFrom(0, slots);
  };
}

function compileElement(element: Pattern, index: number, outer: PatternContext): SlotBinder {
  const bind = compileSlots(element, outer);
  return ({ value, env }, slots, next) => {
    if (value !== null && !isArray(value)) raise(`Cannot index ${typeName(value)} with number (${index})`);
    bind({ value: getKey(value, index), env }, slots, next);
  };
}

function compileEntry(entry: PatternEntry, outer: PatternContext): SlotBinder {
  const key: Compiled = outer.context.compile(entry.key, outer.scope);
  const steps: SlotBinder[] = [];
  if (entry.variable !== undefined) steps.push(setSlot(entry.variable, outer));
  if (entry.pattern !== undefined) steps.push(compileSlots(entry.pattern, outer));
  const bind = inOrder(steps);
  return ({ value, env }, slots, next) => {
    forEachOutput(key, value, slotEnv(env, slots), (name) => {
      if (typeof name !== 'string') raise(`Cannot index ${typeName(value)} with ${describe(name)}`);
      bind({ value: getKey(value, name), env }, slots, next);
    });
  };
}
