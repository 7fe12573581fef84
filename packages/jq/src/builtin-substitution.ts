import type { Form } from './builtin-forms.ts';
import { characters, findEdits, subject, withGlobal, type Edit } from './builtin-regex.ts';
import { IDENTITY } from './compile-paths.ts';
import { forEachOutput, fromOne, type Compiled, type Env } from './machine.ts';
import { meter } from './meter.ts';
import { describe } from './native.ts';
import { lostPath } from './path.ts';
import { raise } from './signals.ts';
import type { JsonValue } from './value.ts';

const NO_FLAGS = fromOne(() => null);

/** `sub` and `gsub`: the replacement is a filter whose input is the object of named captures. */
export const SUBSTITUTION_BUILTINS: Readonly<Record<string, Form>> = {
  'sub/2': ([pattern = IDENTITY, replacement = IDENTITY]) =>
    substitute({ pattern, replacement, flags: NO_FLAGS }, false),
  'sub/3': ([pattern = IDENTITY, replacement = IDENTITY, flags = IDENTITY]) =>
    substitute({ pattern, replacement, flags }, false),
  'gsub/2': ([pattern = IDENTITY, replacement = IDENTITY]) =>
    substitute({ pattern, replacement, flags: NO_FLAGS }, true),
  'gsub/3': ([pattern = IDENTITY, replacement = IDENTITY, flags = IDENTITY]) =>
    substitute({ pattern, replacement, flags }, true),
};

interface Arguments {
  readonly pattern: Compiled;
  readonly replacement: Compiled;
  readonly flags: Compiled;
}

function substitute({ pattern, replacement, flags }: Arguments, isGlobal: boolean): Compiled {
  return {
    run: (value, path, env, emit) => {
      const text = subject(value);
      forEachOutput(pattern, value, env, (patternValue) => {
        forEachOutput(flags, value, env, (flagsValue) => {
          const edits = findEdits(text, patternValue, isGlobal ? withGlobal(flagsValue) : flagsValue);
          for (const result of apply(text, edits, replacement, env)) emit(result, lostPath(path));
        });
      });
      return undefined;
    },
  };
}

/**
 * Returns the edited texts: if the replacement has several outputs, the n-th text has the n-th output for every match.
 */
function apply(text: string, edits: readonly Edit[], replacement: Compiled, env: Env): readonly JsonValue[] {
  if (edits.length === 0) return [text];
  const source = characters(text);
  const results: string[] = [];
  let from = 0;
  for (const { start, end, captures } of edits) {
    meter().tick();
    const gap = source.slice(from, start);
    insertsFor(replacement, captures, env).forEach((insert, index) => {
      results[index] = (results[index] ?? '') + gap + insert;
    });
    from = end;
  }
  return results.map((result) => result + source.slice(from));
}

function insertsFor(replacement: Compiled, captures: JsonValue, env: Env): readonly string[] {
  const inserts: string[] = [];
  forEachOutput(replacement, captures, env, (output) => {
    if (typeof output !== 'string') raise(`${describe(captures)} cannot be added to a string`);
    inserts.push(output);
  });
  return inserts;
}
