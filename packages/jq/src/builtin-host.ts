import type { JqHost } from './context.ts';
import { fromOne, type Compiled } from './machine.ts';
import { raise } from './signals.ts';
import type { JsonValue } from './value.ts';

/** Makes the filter for a call of a builtin from its arguments and the host. */
export type HostForm = (args: readonly Compiled[], host: JqHost) => Compiled;

/** Builtins that reach outside the program; available only to a program that is compiled with a host. */
export const HOST_BUILTINS: Readonly<Record<string, HostForm>> = {
  'input/0': (_args, host) => fromOne(() => host.nextInput() ?? raise('break')),
  'inputs/0': (_args, host) => ({
    run: (_value, path, _env, emit) => {
      for (let input = host.nextInput(); input !== undefined; input = host.nextInput()) emit(input, path);
      return undefined;
    },
  }),
  'debug/0': (_args, host) => passing((value) => host.debug(value)),
  'stderr/0': (_args, host) => passing((value) => host.stderr(value)),
  'input_filename/0': (_args, host) => fromOne(() => host.inputFilename()),
  'input_line_number/0': (_args, host) => fromOne(() => host.inputLineNumber()),
};

/** Why a builtin of jq is unavailable, by name; any other unknown name is just not defined. */
export const UNAVAILABLE: Readonly<Record<string, string>> = {
  get_search_list: 'there are no modules to search for',
  modulemeta: 'there are no modules',
  input: 'a filter has one object as its input and no more',
  inputs: 'a filter has one object as its input and no more',
  debug: 'a filter has no place to write to',
  stderr: 'a filter has no place to write to',
  input_filename: 'a filter does not read files',
  input_line_number: 'a filter does not read files',
};

function passing(effect: (value: JsonValue) => void): Compiled {
  return {
    run: (value, path, _env, emit) => {
      effect(value);
      emit(value, path);
      return undefined;
    },
  };
}
