import { resolve } from 'node:path';
import { present } from '../hook/config-reader.ts';
import { ScenarioError } from '../errors.ts';
import { openWorlds } from '../scenario/open-worlds.ts';
import type { Given, World, Worlds } from '../scenario/world.ts';
import type { TestWorld, WorldOptions } from './public.ts';
import { readOwnStory } from './read-story.ts';
import { testWorld } from './test-world.ts';
import { instantText } from './times.ts';

// Kept from world to world; its processes end with this one.
let worlds: Worlds | undefined;
let open = 0;
/** So many may be open at once; each has a process. */
const MAX_OPEN = 20;

/** Opens a world, and waits until it is at rest. Rejects with all problems of the options, and for a broken hook. */
export async function openWorld(options: WorldOptions = {}): Promise<TestWorld> {
  const { hooks, folder: from = '.', clock, limitMs, ...rest } = options;
  const folder = resolve(from);
  const start = clock === undefined ? undefined : instantText(clock);
  const story = { hooks, given: { ...rest, clock: start } };
  const { given } = await readOwnStory(story, { who: 'openWorld', folder, prefix: 'given' });
  const world = await opened({ ...given, ...present({ limitMs }) });
  const definitions = given.objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const base = { hooks, given: { objects: definitions, ...present({ programs: rest.programs }) } };
  let isOpen = true;
  const close = async (): Promise<void> => {
    await world[Symbol.asyncDispose]();
    if (isOpen) open -= 1;
    isOpen = false;
  };
  return testWorld(world, { base, folder, close });
}

/** A world that counts until it is closed. */
async function opened(given: Given): Promise<World> {
  if (open >= MAX_OPEN) {
    throw new ScenarioError(`openWorld: ${open} worlds are open, expected fewer; close them with await using`);
  }
  worlds ??= openWorlds({ processes: MAX_OPEN });
  open += 1;
  try {
    return await worlds.open(given, new AbortController().signal);
  } catch (error) {
    open -= 1;
    throw error;
  }
}
