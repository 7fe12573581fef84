import { mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { asJson, versionOf, type Version } from './api.ts';

/** The contexts of one run of a hook. */
export interface Sighting {
  readonly hook: string;
  /** Which start of the operator ran it. */
  readonly generation: number;
  readonly atMs: number;
  readonly contexts: readonly SeenContext[];
}

/** The used fields of a binding context. */
export type SeenContext =
  | { readonly type: 'all'; readonly versions: readonly Version[] }
  | { readonly type: 'event'; readonly event: string; readonly version: Version };

/** The records of the hooks, each taken once, in the order in which the runs began. */
export class SightingReader {
  readonly #folder: string;
  readonly #hooks: readonly string[];

  constructor(folder: string, hooks: readonly string[]) {
    this.#folder = folder;
    this.#hooks = hooks;
    for (const hook of hooks) mkdirSync(join(folder, hook), { recursive: true });
  }

  take(): readonly Sighting[] {
    return this.#hooks.flatMap((hook) => {
      const folder = join(this.#folder, hook);
      const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
      return names.toSorted().map((name) => readRecord(hook, join(folder, name), name));
    });
  }
}

function readRecord(hook: string, path: string, name: string): Sighting {
  const contexts: unknown = JSON.parse(readFileSync(path, 'utf8'));
  unlinkSync(path);
  const [generation = '', at = ''] = name.split('-');
  return {
    hook,
    generation: Number(generation),
    atMs: Number(at.replace(/\.json$/, '')) * 1000,
    contexts: (Array.isArray(contexts) ? contexts : []).map(readContext),
  };
}

function readContext(value: unknown): SeenContext {
  const context = asJson(value);
  const { objects } = context;
  if (context['type'] === 'Event') {
    return { type: 'event', event: String(context['watchEvent']), version: versionOf(objectOf(context)) };
  }
  // With the library the objects are in the list themselves, in the wire form they are a member of its items.
  return { type: 'all', versions: (Array.isArray(objects) ? objects : []).map((item) => versionOf(objectOf(item))) };
}

function objectOf(item: unknown): unknown {
  const { object, filterResult } = asJson(item);
  return object ?? filterResult ?? item;
}
