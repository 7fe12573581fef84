/*
 * Opens worlds in processes of their own. A process has one world after the other, because starting it takes longer than
 * most worlds; after many, or after a world that could not be ended, it is replaced.
 */

import { existsSync, mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { abortable } from '../lib/abortable.ts';
import { latch, type Latch } from '../lib/latch.ts';
import { removeTree } from '../lib/remove-tree.ts';
import { messageOf } from '../lib/message-of.ts';
import { RemoteWorld } from './remote-world.ts';
import { WorldChild } from './world-child.ts';
import type { Given, World, Worlds } from './world.ts';

export interface WorldsOptions {
  /** How many worlds there are at the same time; default: as many as there are cores. */
  readonly processes?: number;
  /** The file of their processes; default: the one beside this build or these sources. */
  readonly entry?: string;
  /** How many worlds a process has before another one takes its place; default 200. */
  readonly perProcess?: number;
}

const MAX_WORLDS = 200;

/** Opens the worlds of a test run; processes are started when they are needed. */
export function openWorlds(options: WorldsOptions = {}): Worlds {
  const { processes = availableParallelism(), entry = worldEntry(), perProcess = MAX_WORLDS } = options;
  const pool = new Pool({ processes, entry, perProcess });
  return {
    open: async (given, signal) => pool.open(given, signal),
    [Symbol.asyncDispose]: async () => pool.close(),
  };
}

class Pool {
  readonly #size: number;
  readonly #entry: string;
  readonly #perProcess: number;
  readonly #idle: WorldChild[] = [];
  readonly #all = new Set<WorldChild>();
  readonly #waiting: Latch<void>[] = [];
  #taken = 0;
  /** A folder for each process, which goes with it or with this one, however they end. */
  readonly #folders = new Map<WorldChild, string>();

  constructor({ processes, entry, perProcess }: Required<WorldsOptions>) {
    this.#size = Math.max(1, processes);
    this.#entry = entry;
    this.#perProcess = perProcess;
  }

  async open(given: Given, signal: AbortSignal): Promise<World> {
    const child = await this.#take(signal);
    const world = new RemoteWorld(child, given, () => this.#give(child));
    try {
      await abortable(world.open(), signal);
      return world;
    } catch (error) {
      if (signal.aborted) child.kill('the test was ended');
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(async (child) => this.#end(child)));
  }

  async #take(signal: AbortSignal): Promise<WorldChild> {
    signal.throwIfAborted();
    while (this.#taken >= this.#size) {
      const turn = latch();
      this.#waiting.push(turn);
      await abortable(turn.promise, signal);
    }
    this.#taken += 1;
    const kept = this.#idle.pop();
    kept?.hold(true);
    if (kept !== undefined) return kept;
    if (this.#folders.size === 0) process.on('exit', this.#removeAll);
    const folder = mkdtempSync(join(tmpdir(), 'hooklet-worlds-'));
    const child = new WorldChild({ entry: this.#entry, folder, maxWorlds: this.#perProcess });
    this.#all.add(child);
    this.#folders.set(child, folder);
    return child;
  }

  async #end(child: WorldChild): Promise<void> {
    await child.end();
    this.#all.delete(child);
    this.#remove(child);
  }

  #remove(child: WorldChild): void {
    const folder = this.#folders.get(child);
    this.#folders.delete(child);
    try {
      if (folder !== undefined) removeTree(folder);
    } catch (error) {
      // A process that has left its group may write there still; the result of the tests is another matter.
      process.emitWarning(`${folder} is left: ${messageOf(error)}`);
    }
    if (this.#folders.size === 0) process.off('exit', this.#removeAll);
  }

  readonly #removeAll = (): void => {
    for (const child of this.#folders.keys()) this.#remove(child);
  };

  #give(child: WorldChild): void {
    this.#taken -= 1;
    if (child.isUsable) {
      child.hold(false);
      this.#idle.push(child);
    } else {
      void this.#end(child);
    }
    // All look: one that has given up must not take the turn of another.
    for (const turn of this.#waiting.splice(0)) turn.resolve();
  }
}

/** The file of the process: beside this one in the bundle, and in the room above in the sources. */
function worldEntry(): string {
  const beside = fileURLToPath(new URL('./world-process.js', import.meta.url));
  if (import.meta.url.endsWith('.ts')) return fileURLToPath(new URL('../cli/world-process.ts', import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL('../world-process.js', import.meta.url));
}
