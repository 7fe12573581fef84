/*
 * The time of a world as its hooks see it. It is in a file, written anew when a run begins at another time: the clock of a
 * world stands still while a hook runs, so all that runs at once reads the same. Programs of Node read it for `Date`, and
 * a stand-in for `date` has it for shell hooks.
 */

import { accessSync, constants, renameSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { dateProgram } from './date-program.ts';

/** The time that hooks see. */
export interface HookTime {
  /** Added to the environment of all hooks; `NODE_OPTIONS` keeps what it has. */
  readonly env: Readonly<Record<string, string>>;
  /** Programs by name, with their text, which come first on the PATH of hooks. */
  readonly programs: ReadonlyMap<string, string>;
  /** Hooks that start now see this time; returns what their run has in its environment. */
  set(nowMs: number): Readonly<Record<string, string>>;
}

export interface HookTimeOptions {
  readonly folder: string;
  /** The environment of hooks without these additions. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
}

/** Opens the time of a world below `folder`. */
export function openHookTime({ folder, env, nowMs }: HookTimeOptions): HookTime {
  const [file, module] = [join(folder, 'time'), join(folder, 'time.cjs')];
  writeFileSync(module, MODULE);
  let written = Number.NaN;
  const set: HookTime['set'] = (timeMs) => {
    if (timeMs !== written) {
      // Put in its place whole: another hook may read it now.
      writeFileSync(`${file}.new`, `${timeText(timeMs)}\n`);
      renameSync(`${file}.new`, file);
    }
    written = timeMs;
    return { HOOKLET_NOW: new Date(timeMs).toISOString() };
  };
  set(nowMs);
  const options = [env['NODE_OPTIONS'], `--require ${JSON.stringify(module)}`];
  const date = programOn(env['PATH'], 'date');
  return {
    env: { NODE_OPTIONS: options.filter((option) => option !== undefined && option !== '').join(' ') },
    programs: new Map(date === undefined ? [] : [['date', dateProgram(date, file)]]),
    set,
  };
}

/** Seconds and milliseconds apart, as a shell reads them. */
function timeText(timeMs: number): string {
  const seconds = Math.floor(timeMs / 1000);
  return `${seconds} ${String(Math.trunc(timeMs - seconds * 1000)).padStart(3, '0')}`;
}

/** Replaces `Date` in a process of any Node, however old, before its program is loaded; when the world is over, its time is that of the machine again. */
const MODULE = `const { readFileSync } = require('fs');
const file = __dirname + '/time';
const Real = Date;
const now = () => {
  try {
    const [seconds, ms] = readFileSync(file, 'utf8').split(' ');
    return Number(seconds) * 1000 + Number(ms);
  } catch {
    return Real.now();
  }
};
globalThis.Date = new Proxy(Real, {
  construct: (_, args, target) => Reflect.construct(Real, args.length === 0 ? [now()] : args, target),
  apply: () => new Real(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
});
`;

function programOn(path = '', name = ''): string | undefined {
  const places = path.split(delimiter).map((folder) => join(folder, name));
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}
