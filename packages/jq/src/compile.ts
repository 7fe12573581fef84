// Compilation turns the syntax tree of a program into closures, once per program. `compileNode` is called for the whole
// program and, through `context.compile`, for each of its parts.
//
// Names are resolved here and not at run time: a `Scope` lists the names that are visible at a place; a variable, label
// or filter parameter becomes the number of levels to climb in the run-time environment (see machine.ts), and a
// function call becomes a reference to the compiled body.
//
// A part is in tail position if nothing of the enclosing function is left to do after it. Only the node types that
// `compileNode` handles itself can be in tail position or pass it on to one of their parts; the other functions below
// are one long choice by node type, split by the kind of node.

import { compileAssign } from './compile-assign.ts';
import { compileBind, compileForeach, compileReduce, compileVariable } from './compile-binding.ts';
import { compileCall, compileDef } from './compile-calls.ts';
import {
  compileAlternative,
  compileBreak,
  compileComma,
  compileIf,
  compileLabel,
  compilePipe,
  compileTry,
  type Place,
} from './compile-control.ts';
import { compileIndex, compileIterate, compileSlice, IDENTITY, recurseDefault } from './compile-paths.ts';
import {
  compileArray,
  compileBinary,
  compileLiteral,
  compileLogic,
  compileNegate,
  compileObject,
  compileString,
} from './compile-values.ts';
import type { Context } from './context.ts';
import { fromOne, type Compiled } from './machine.ts';
import type { Scope } from './scope.ts';
import type { Node, Pair } from './syntax.ts';

/** Compiles a part of a program into a closure; reports what is invalid through `context.fail`. */
export function compileNode(node: Node, context: Context, place: Place): Compiled {
  if (node.type === 'pipe') return compilePipe(node, context, place);
  if (node.type === 'comma') return compileComma(node, context, place);
  if (node.type === 'if') return compileIf(node, context, place);
  if (node.type === 'alternative') return compileAlternative(node, context, place);
  if (node.type === 'bind') return compileBind(node, context, place);
  if (node.type === 'def') return compileDef(node, context, place);
  if (node.type === 'call') return compileCall(node, context, place);
  return compileInner(node, context, place.scope);
}

type TailNode =
  | Extract<Node, { type: 'if' | 'bind' | 'def' | 'call' }>
  | Pair<'pipe'>
  | Pair<'comma'>
  | Pair<'alternative'>;
type InnerNode = Exclude<Node, TailNode>;

/** Node types that never return remaining work to their caller and never pass tail position on. */
function compileInner(node: InnerNode, context: Context, scope: Scope): Compiled {
  if (node.type === 'try') return compileTry(node, context, scope);
  if (node.type === 'reduce') return compileReduce(node, context, scope);
  if (node.type === 'foreach') return compileForeach(node, context, scope);
  if (node.type === 'label') return compileLabel(node, context, scope);
  if (node.type === 'break') return compileBreak(node, context, scope);
  if (node.type === 'assign') return compileAssign(node, context, scope);
  if (node.type === 'variable') return compileVariable(node, context, scope);
  return compilePathNode(node, context, scope);
}

type ControlNode = Extract<
  InnerNode,
  { type: 'try' | 'reduce' | 'foreach' | 'label' | 'break' | 'assign' | 'variable' }
>;
type PathNode = Extract<InnerNode, { type: 'identity' | 'recurse' | 'index' | 'slice' | 'iterate' }>;

function compilePathNode(node: Exclude<InnerNode, ControlNode>, context: Context, scope: Scope): Compiled {
  if (node.type === 'identity') return IDENTITY;
  if (node.type === 'recurse') return recurseDefault(context.meter);
  if (node.type === 'index') return compileIndex(node, context, scope);
  if (node.type === 'slice') return compileSlice(node, context, scope);
  if (node.type === 'iterate') return compileIterate(node, context, scope);
  return compileValueNode(node, context, scope);
}

function compileValueNode(node: Exclude<InnerNode, ControlNode | PathNode>, context: Context, scope: Scope): Compiled {
  switch (node.type) {
    case 'literal':
      return compileLiteral(node.value);
    case 'string':
      return compileString(node, context, scope);
    case 'format':
      return fromOne(context.compileFormat(node.name, node.at));
    case 'array':
      return compileArray(node, context, scope);
    case 'object':
      return compileObject(node, context, scope);
    case 'negate':
      return compileNegate(node, context, scope);
    case 'binary':
      return compileBinary(node, context, scope);
    case 'and':
    case 'or':
      return compileLogic(node, context, scope);
  }
}
