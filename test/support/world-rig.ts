import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openWorlds } from '../../src/scenario/open-worlds.ts';
import type { Moment } from '../../src/scenario/timeline.ts';
import type { Given, World } from '../../src/scenario/world.ts';
import { builtFolder } from './built-program.ts';
import { temporaryFolder } from './hook-rig.ts';
import { writeHooks } from './world-hooks.ts';

export const START_MS = Date.parse('2026-03-01T00:30:00Z');

/** Worlds of one test file, with the folders of their hooks. */
export interface WorldRig extends AsyncDisposable {
  /** A new folder. */
  folder(): string;
  /** Opens a world with these hooks. */
  open(hooks: Readonly<Record<string, string>>, given?: Partial<Given>): Promise<World>;
}

export function worldRig(): WorldRig {
  const worlds = openWorlds({ processes: 2, entry: join(builtFolder(), 'world-process.js') });
  const folders = new DisposableStack();
  const folder = (): string => folders.use(temporaryFolder()).path;
  return {
    folder,
    open: async (hooks, given = {}) => {
      const hooksDir = join(folder(), 'hooks');
      mkdirSync(hooksDir);
      const all = { hooksDir: writeHooks(hooksDir, hooks), objects: [], startMs: START_MS, env: {}, ...given };
      return worlds.open(all, new AbortController().signal);
    },
    [Symbol.asyncDispose]: async () => {
      await worlds[Symbol.asyncDispose]();
      folders.dispose();
    },
  };
}

/** The moments of one type. */
export function only<Type extends Moment['type']>(world: World, type: Type): Extract<Moment, { type: Type }>[] {
  return world.timeline.filter((moment): moment is Extract<Moment, { type: Type }> => moment.type === type);
}
