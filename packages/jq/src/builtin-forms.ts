import { getPath } from './access.ts';
import { compileUpdate, forEachPath } from './compile-assign.ts';
import { breakable, firstOutput } from './compile-control.ts';
import { eachElement, IDENTITY } from './compile-paths.ts';
import { forEachOutput, fromOne, type Compiled, type Emit, type Env } from './machine.ts';
import type { Meter } from './meter.ts';
import { describe } from './native.ts';
import { numberOf } from './number-literal.ts';
import { pathArray } from './builtin-core.ts';
import { extendPath, lostPath, type Path } from './path.ts';
import { breakTo, raise } from './signals.ts';
import { isTruthy, type JsonValue } from './value.ts';

/** A builtin whose arguments are filters, not values: it decides when and how often to run them. */
export type Form = (args: readonly Compiled[], meter: Meter) => Compiled;

/** Builtins that choose, count and loop. */
export const FORM_BUILTINS: Readonly<Record<string, Form>> = {
  'empty/0': () => ({ run: () => undefined }),
  'select/1': ([condition = IDENTITY]) => select(condition),
  'map/1': ([filter = IDENTITY], meter) => map(filter, meter),
  'map_values/1': ([filter = IDENTITY], meter) => compileUpdate(elementsOf(meter), filter),
  'path/1': ([filter = IDENTITY]) => ({
    run: (value, path, env, emit) => {
      forEachPath(filter, value, env, (keys) => emit(keys, lostPath(path)));
      return undefined;
    },
  }),
  'getpath/1': ([keys = IDENTITY]) => getPathForm(keys),
  'first/1': ([filter = IDENTITY]) => takeFirst(filter),
  'last/1': ([filter = IDENTITY]) => takeLast(filter),
  'limit/2': ([count = IDENTITY, filter = IDENTITY]) => limit(count, filter),
  'skip/2': ([count = IDENTITY, filter = IDENTITY]) => skip(count, filter),
  'isempty/1': ([filter = IDENTITY]) => fromOne((value, env) => firstOutput(filter, value, env) === undefined),
  'any/2': ([source = IDENTITY, condition = IDENTITY]) => quantifier(source, condition, true),
  'all/2': ([source = IDENTITY, condition = IDENTITY]) => quantifier(source, condition, false),
  'range/2': ([from = IDENTITY, to = IDENTITY], meter) =>
    range(
      from,
      to,
      fromOne(() => 1),
      meter,
    ),
  'range/3': ([from = IDENTITY, to = IDENTITY, by = IDENTITY], meter) => range(from, to, by, meter),
};

function select(condition: Compiled): Compiled {
  const { one } = condition;
  return {
    run: (value, path, env, emit) => {
      if (one !== undefined) {
        if (isTruthy(one(value, env))) emit(value, path);
      } else {
        condition.run(value, undefined, env, (output) => {
          if (isTruthy(output)) emit(value, path);
        });
      }
      return undefined;
    },
  };
}

function elementsOf(meter: Meter): Compiled {
  return {
    run: (value, path, _env, emit) => {
      eachElement(value, path, meter, emit);
      return undefined;
    },
  };
}

function map(filter: Compiled, meter: Meter): Compiled {
  return fromOne((value, env) => {
    const outputs: JsonValue[] = [];
    const take = (output: JsonValue): void => {
      outputs.push(output);
    };
    eachElement(value, undefined, meter, (element) => forEachOutput(filter, element, env, take));
    return outputs;
  });
}

function getPathForm(keysFilter: Compiled): Compiled {
  const run = (value: JsonValue, path: Path, env: Env, emit: Emit): undefined => {
    forEachOutput(keysFilter, value, env, (output) => {
      const keys = pathArray(output);
      const found = getPath(value, keys);
      emit(
        found,
        keys.reduce<Path>((at, key) => extendPath(at, key, value), path),
      );
    });
    return undefined;
  };
  const { one } = keysFilter;
  if (one === undefined) return { run };
  return { run, one: (value, env) => getPath(value, pathArray(one(value, env))) };
}

function takeFirst(filter: Compiled): Compiled {
  return {
    run: (value, path, env, emit) => {
      takeUpTo(1, filter, { value, path, env }, emit);
      return undefined;
    },
  };
}

function takeLast(filter: Compiled): Compiled {
  return {
    run: (value, path, env, emit) => {
      let last: { readonly value: JsonValue; readonly path: Path } | undefined;
      filter.run(value, path, env, (output, at) => {
        last = { value: output, path: at };
      });
      if (last !== undefined) emit(last.value, last.path);
      return undefined;
    },
  };
}

interface Place {
  readonly value: JsonValue;
  readonly path: Path;
  readonly env: Env;
}

/** Emits at most `count` outputs and stops the filter as soon as the last one is emitted. */
function takeUpTo(count: number, filter: Compiled, { value, path, env }: Place, emit: Emit): void {
  const target = {};
  let taken = 0;
  breakable(target, () => {
    filter.run(value, path, env, (output, at) => {
      taken += 1;
      emit(output, at);
      if (taken >= count) breakTo(target);
    });
  });
}

function limit(count: Compiled, filter: Compiled): Compiled {
  return {
    run: (value, path, env, emit) => {
      forEachOutput(count, value, env, (output) => {
        const most = countOf(output);
        if (most > 0) takeUpTo(most, filter, { value, path, env }, emit);
        else if (!(most === 0)) raise("limit doesn't support negative count");
      });
      return undefined;
    },
  };
}

function skip(count: Compiled, filter: Compiled): Compiled {
  return {
    run: (value, path, env, emit) => {
      forEachOutput(count, value, env, (output) => {
        let left = countOf(output);
        if (!(left >= 0)) raise("skip doesn't support negative count");
        filter.run(value, path, env, (item, at) => {
          if (left <= 0) emit(item, at);
          left -= 1;
        });
      });
      return undefined;
    },
  };
}

/** The count that `limit` and `skip` take; in jq's order null and booleans are less than 0, and text is no count. */
function countOf(value: JsonValue): number {
  const number = numberOf(value);
  if (number !== undefined) return number;
  if (value === null || typeof value === 'boolean') return -1;
  return raise(`${describe(value)} and number (1) cannot be subtracted`);
}

/** `any` looks for a true condition, `all` for a false one; both stop at the first that they find. */
function quantifier(source: Compiled, condition: Compiled, wanted: boolean): Compiled {
  const decisive: Compiled = {
    run: (value, _path, env, emit) => {
      forEachOutput(source, value, env, (item) => {
        forEachOutput(condition, item, env, (output) => {
          if (isTruthy(output) === wanted) emit(true, undefined);
        });
      });
      return undefined;
    },
  };
  return fromOne((value, env) => (firstOutput(decisive, value, env) === undefined) !== wanted);
}

function range(from: Compiled, to: Compiled, by: Compiled, meter: Meter): Compiled {
  return {
    run: (value, path, env, emit) => {
      const outPath = lostPath(path);
      forEachOutput(from, value, env, (start) => {
        forEachOutput(to, value, env, (end) => {
          forEachOutput(by, value, env, (step) => {
            const bounds = { start: bound(start), end: bound(end), step: bound(step) };
            countUp(bounds, meter, (number) => emit(number, outPath));
          });
        });
      });
      return undefined;
    },
  };
}

function bound(value: JsonValue): number {
  return numberOf(value) ?? raise('Range bounds must be numeric');
}

interface Bounds {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

function countUp({ start, end, step }: Bounds, meter: Meter, take: (number: number) => void): void {
  for (let number = start; step > 0 ? number < end : step < 0 && number > end; number += step) {
    meter.tick();
    take(number);
  }
}
