import type { Compiled } from './machine.ts';

/** The names visible at one place of a program, innermost first. */
export type Scope = ScopeEntry | undefined;

export type ScopeEntry = VariableEntry | FunctionEntry;

/** A name that has a place in the environment at run time. */
export interface VariableEntry {
  readonly kind: 'variable' | 'closure' | 'label';
  readonly name: string;
  /** Length of the environment with this name in it. */
  readonly depth: number;
  readonly parent: Scope;
}

/** A function; it takes no place at run time, its calls are resolved when compiling. */
export interface FunctionEntry {
  readonly kind: 'function';
  readonly name: string;
  readonly arity: number;
  readonly depth: number;
  readonly parent: Scope;
  readonly compiled: CompiledFunction;
}

/** Filled in when the body is compiled; empty in the calls that the body makes to itself. */
export interface CompiledFunction {
  body: Compiled | undefined;
}

export function depthOf(scope: Scope): number {
  return scope === undefined ? 0 : scope.depth;
}

export function declare(scope: Scope, kind: VariableEntry['kind'], name: string): VariableEntry {
  return { kind, name, depth: depthOf(scope) + 1, parent: scope };
}

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

/** The innermost function or filter parameter of this name and number of arguments. */
export function findCallable(scope: Scope, name: string, arity: number): ScopeEntry | undefined {
  for (let entry = scope; entry !== undefined; entry = entry.parent) {
    if (entry.name !== name) continue;
    if (entry.kind === 'function' && entry.arity === arity) return entry;
    if (entry.kind === 'closure' && arity === 0) return entry;
  }
  return undefined;
}
