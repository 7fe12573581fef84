import { appendFileSync, cpSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openWorld } from '../../../src/testing/index.ts';
import type { TestWorld, WorldOptions } from '../../../src/testing/public.ts';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { writesIn } from './evidence.ts';
import { playControllers } from './play-controllers.ts';

/** How two versions of hooks follow each other. */
export interface Versions {
  /** The folder of hooks of the first version. */
  readonly hooks: string;
  readonly world: Omit<WorldOptions, 'hooks'>;
  /** Brings the world to rest; by default the controllers play. */
  readonly settle?: (world: TestWorld) => Promise<void>;
  /** Makes the second version of the hooks in this folder; by default each file has another comment at its end. */
  readonly change?: (hooks: string) => void;
}

/** What is written, a line each, when an operator with other hooks takes over what is at rest, Events included. */
export async function twoVersions({ hooks, world: given, ...options }: Versions): Promise<readonly string[]> {
  const { settle = playControllers, change = comment } = options;
  using folder = temporaryFolder();
  const copy = join(folder.path, 'hooks');
  cpSync(hooks, copy, { recursive: true });
  await using world = await openWorld({ limitMs: 120_000, ...given, hooks: copy });
  await settle(world);
  await world.tick('1h');
  await settle(world);
  change(copy);
  const restarted = await world.restart('1m');
  const after = await world.tick('1h');
  return [restarted, after].flatMap(writesIn);
}

const COMMENTS: Readonly<Record<string, string>> = { ts: '//', js: '//', mjs: '//', sh: '#', py: '#' };

function comment(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    // Nothing is written where a link leads.
    if (realpathSync(path) !== join(realpathSync(folder), name)) continue;
    const mark = COMMENTS[name.split('.').at(-1) ?? ''];
    if (mark !== undefined && statSync(path).isFile()) appendFileSync(path, `\n${mark} The second version.\n`);
  }
}
