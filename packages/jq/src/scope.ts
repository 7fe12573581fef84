import type { Compiled } from './machine.ts';

/** The names visible at one place of a program, innermost first. */
export type Scope = ScopeEntry | undefined;

export type ScopeEntry = VariableEntry | FunctionEntry;

/** A name that occupies one level of the run-time environment. */
export interface VariableEntry {
  readonly kind: 'variable' | 'closure' | 'label';
  readonly name: string;
  /** The number of environment levels up to and including this name. */
  readonly depth: number;
  readonly parent: Scope;
}

/** A function. It occupies no level of the environment, as its calls are resolved at compile time. */
export interface FunctionEntry {
  readonly kind: 'function';
  readonly name: string;
  readonly arity: number;
  readonly depth: number;
  readonly parent: Scope;
  readonly compiled: CompiledFunction;
}

/**
 * The compiled body. It is undefined while the body itself is being compiled, so a recursive call reads it at run time.
 */
export interface CompiledFunction {
  body: Compiled | undefined;
}

/** The number of environment levels at this place. */
export function depthOf(scope: Scope): number {
  return scope === undefined ? 0 : scope.depth;
}

/** Returns the scope with a new name inside; the name occupies the next environment level. */
export function declare(scope: Scope, kind: VariableEntry['kind'], name: string): VariableEntry {
  return { kind, name, depth: depthOf(scope) + 1, parent: scope };
}

/** Returns the scope with a new function inside, whose body is not compiled yet. */
export function declareFunction(scope: Scope, name: string, arity: number): FunctionEntry {
  return { kind: 'function', name, arity, depth: depthOf(scope), parent: scope, compiled: { body: undefined } };
}

/** The innermost variable or label of this name. */
export function findVariable(scope: Scope, kind: 'variable' | 'label', name: string): VariableEntry | undefined {
  for (let entry = scope; entry !== undefined; entry = entry.parent) {
    if (entry.kind === kind && entry.name === name) return entry;
  }
  return undefined;
}

/** The innermost function or filter parameter with this name and number of parameters. */
export function findCallable(scope: Scope, name: string, arity: number): ScopeEntry | undefined {
  for (let entry = scope; entry !== undefined; entry = entry.parent) {
    if (entry.name !== name) continue;
    if (entry.kind === 'function' && entry.arity === arity) return entry;
    if (entry.kind === 'closure' && arity === 0) return entry;
  }
  return undefined;
}
