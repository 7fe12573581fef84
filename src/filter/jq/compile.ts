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

/** Turns a part of a program into a closure; `isTail` where nothing of the function is left to do after it. */
export function compileNode(node: Node, context: Context, place: Place): Compiled {
  switch (node.type) {
    case 'pipe':
      return compilePipe(node, context, place);
    case 'comma':
      return compileComma(node, context, place);
    case 'if':
      return compileIf(node, context, place);
    case 'alternative':
      return compileAlternative(node, context, place);
    case 'bind':
      return compileBind(node, context, place);
    case 'def':
      return compileDef(node, context, place);
    case 'call':
      return compileCall(node, context, place);
    default:
      return compileInner(node, context, place.scope);
  }
}

type TailNode = Extract<Node, { type: 'if' | 'bind' | 'def' | 'call' }> | Pair<'pipe'> | Pair<'comma'> | Pair<'alternative'>;
type InnerNode = Exclude<Node, TailNode>;

/** The parts that are never in tail position themselves nor pass it on. */
function compileInner(node: InnerNode, context: Context, scope: Scope): Compiled {
  switch (node.type) {
    case 'try':
      return compileTry(node, context, scope);
    case 'reduce':
      return compileReduce(node, context, scope);
    case 'foreach':
      return compileForeach(node, context, scope);
    case 'label':
      return compileLabel(node, context, scope);
    case 'break':
      return compileBreak(node, context, scope);
    case 'assign':
      return compileAssign(node, context, scope);
    case 'variable':
      return compileVariable(node, context, scope);
    default:
      return compilePathNode(node, context, scope);
  }
}

type ControlNode = Extract<InnerNode, { type: 'try' | 'reduce' | 'foreach' | 'label' | 'break' | 'assign' | 'variable' }>;
type PathNode = Extract<InnerNode, { type: 'identity' | 'recurse' | 'index' | 'slice' | 'iterate' }>;

function compilePathNode(node: Exclude<InnerNode, ControlNode>, context: Context, scope: Scope): Compiled {
  switch (node.type) {
    case 'identity':
      return IDENTITY;
    case 'recurse':
      return recurseDefault(context.meter);
    case 'index':
      return compileIndex(node, context, scope);
    case 'slice':
      return compileSlice(node, context, scope);
    case 'iterate':
      return compileIterate(node, context, scope);
    default:
      return compileValueNode(node, context, scope);
  }
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
