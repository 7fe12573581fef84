import { compileProgram, outputsOf } from './jq-filter.ts';

/** Compiles the expression of a JQPatch; what it gives back has all outputs for one object and throws what the program raises. */
export function compilePatch(expression: string): (object: unknown) => Iterable<unknown> {
  const program = compileProgram(expression);
  return (object) => outputsOf(program, object);
}
