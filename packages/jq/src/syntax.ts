import type { JsonValue } from './value.ts';

/** A program, or a part of one. `at` is an offset in the source, for error messages. */
export type Node =
  | { readonly type: 'identity' }
  | { readonly type: 'recurse' }
  | { readonly type: 'literal'; readonly value: JsonValue }
  | {
      readonly type: 'string';
      readonly format: string;
      readonly parts: readonly (string | Node)[];
      readonly at: number;
    }
  | { readonly type: 'format'; readonly name: string; readonly at: number }
  | { readonly type: 'index'; readonly target: Node; readonly key: Node }
  | { readonly type: 'slice'; readonly target: Node; readonly from: Node; readonly to: Node }
  | { readonly type: 'iterate'; readonly target: Node }
  | { readonly type: 'array'; readonly body?: Node }
  | { readonly type: 'object'; readonly entries: readonly ObjectEntry[] }
  | { readonly type: 'negate'; readonly operand: Node }
  | Pair<'pipe'>
  | Pair<'comma'>
  | Pair<'and'>
  | Pair<'or'>
  | Pair<'alternative'>
  | { readonly type: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly type: 'assign'; readonly operator: AssignOperator; readonly left: Node; readonly right: Node }
  | { readonly type: 'if'; readonly condition: Node; readonly whenTrue: Node; readonly otherwise: Node }
  | { readonly type: 'try'; readonly body: Node; readonly handler?: Node }
  | {
      readonly type: 'reduce';
      readonly source: Node;
      readonly pattern: Pattern;
      readonly init: Node;
      readonly update: Node;
    }
  | {
      readonly type: 'foreach';
      readonly source: Node;
      readonly pattern: Pattern;
      readonly init: Node;
      readonly update: Node;
      readonly extract: Node;
    }
  | { readonly type: 'bind'; readonly source: Node; readonly patterns: readonly Pattern[]; readonly body: Node }
  | { readonly type: 'label'; readonly name: string; readonly body: Node }
  | { readonly type: 'break'; readonly name: string; readonly at: number }
  | { readonly type: 'def'; readonly definition: Definition; readonly body: Node }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Node[]; readonly at: number }
  | { readonly type: 'variable'; readonly name: string; readonly at: number };

export interface Pair<T extends string> {
  readonly type: T;
  readonly left: Node;
  readonly right: Node;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';
export type AssignOperator = '=' | '|=' | '+=' | '-=' | '*=' | '/=' | '%=' | '//=';

/** One entry of an object construction. */
export interface ObjectEntry {
  readonly key: Node;
  readonly value: Node;
}

/** `def name(params): body;` where a `$`-parameter takes values and a plain one takes a filter. */
export interface Definition {
  readonly name: string;
  readonly params: readonly Parameter[];
  readonly body: Node;
}

/** One parameter of a function; `isValue` for a `$`-parameter. */
export interface Parameter {
  readonly name: string;
  readonly isValue: boolean;
}

/** The left side of a destructuring: a variable, `[…]` or `{…}`. */
export type Pattern =
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'array'; readonly elements: readonly Pattern[] }
  | { readonly type: 'object'; readonly entries: readonly PatternEntry[] };

/** `key: pattern`; a `$name` key also binds the value whole. */
export interface PatternEntry {
  readonly key: Node;
  readonly variable?: string;
  readonly pattern?: Pattern;
}

/** All variables a pattern binds, each once, in order of appearance. */
export function patternVariables(pattern: Pattern): readonly string[] {
  const names = new Set<string>();
  collectVariables(pattern, names);
  return [...names];
}

function collectVariables(pattern: Pattern, names: Set<string>): void {
  if (pattern.type === 'variable') {
    names.add(pattern.name);
  } else if (pattern.type === 'array') {
    for (const element of pattern.elements) collectVariables(element, names);
  } else {
    for (const entry of pattern.entries) {
      if (entry.variable !== undefined) names.add(entry.variable);
      if (entry.pattern !== undefined) collectVariables(entry.pattern, names);
    }
  }
}
