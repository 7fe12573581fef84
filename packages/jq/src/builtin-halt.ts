import type { Form } from './builtin-forms.ts';
import { IDENTITY } from './compile-paths.ts';
import { forEachOutput } from './machine.ts';
import { describe } from './native.ts';
import { numberOf } from './number-literal.ts';
import { JqHalt, raise } from './signals.ts';

/** Builtins that end the program; what that means is for whoever runs it, who gets a JqHalt. */
export const HALT_BUILTINS: Readonly<Record<string, Form>> = {
  'halt/0': () => ({
    run: () => {
      throw new JqHalt(0);
    },
  }),
  'halt_error/1': ([code = IDENTITY]) => ({
    run: (value, _path, env) => {
      forEachOutput(code, value, env, (exitCode) => {
        const status = numberOf(exitCode) ?? raise(`halt_error/1: number required, not ${describe(exitCode)}`);
        throw new JqHalt(status, value);
      });
      return undefined;
    },
  }),
};
