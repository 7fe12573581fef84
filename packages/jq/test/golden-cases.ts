import type { JsonValue } from '../src/value.ts';
import { BUILTIN_CASES } from './golden-builtins.ts';
import { KUBERNETES_CASES } from './golden-kubernetes.ts';
import { LANGUAGE_CASES } from './golden-language.ts';

/** Programs that are tried on the same input. */
export interface GoldenGroup {
  readonly input: JsonValue;
  readonly programs: readonly string[];
}

export interface GoldenCase {
  readonly program: string;
  readonly input: JsonValue;
}

/** Every case whose result in the real jq is on record. */
export const GOLDEN_CASES: readonly GoldenCase[] = [...LANGUAGE_CASES, ...BUILTIN_CASES, ...KUBERNETES_CASES].flatMap(
  ({ input, programs }) => programs.map((program) => ({ program, input })),
);
