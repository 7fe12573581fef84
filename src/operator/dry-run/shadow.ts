import { KubeError } from '../../errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { atOnce } from '../../lib/at-once.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { DryWrite } from './dry-client.ts';
import { changeText, fieldChanges, valueAt, type FieldChange } from './field-changes.ts';
import { OtherWrites } from './other-writes.ts';
import { isOwned, ownedFields, type OwnedFields } from './owned-fields.ts';
import { isDeepStrictEqual } from 'node:util';

export interface ShadowOptions {
  /** How long the other version has to act. */
  readonly afterMs: number;
  readonly client: Pick<KubeClient, 'request'>;
  readonly metrics: Pick<Metrics, 'shadowDifferences'>;
  readonly now: () => number;
  readonly log: Logger;
}

interface Expected {
  readonly hook: string;
  readonly write: DryWrite;
  /** The fields that this version has tried to change, as JSON: a later state has those of the other version too. */
  readonly own: ReadonlySet<string>;
  readonly dueMs: number;
}

interface Counts {
  same: number;
  different: number;
  /** Not compared: too many waited, or the object cannot be read. */
  skipped: number;
}

const MAX_WAITING = 5000;
const MAX_SHOWN = 20;
const TICK_MS = 500;
const AT_ONCE = 8;

/**
 * Compares what dry runs would have made of objects with what they are after the other version had time to act: the
 * fields that a dry run would have changed must then have the values that it would have given them, and what it would
 * have deleted must be gone.
 */
export class Shadow {
  readonly #options: ShadowOptions;
  /** By hook and object: the newest state that is expected, compared when the first one is due. */
  readonly #waiting = new Map<string, Expected>();
  readonly #counts = new Map<string, Counts>();
  readonly #startMs: number;
  readonly #others: OtherWrites;
  #onlyOther = 0;

  constructor(options: ShadowOptions) {
    const { afterMs, now } = options;
    this.#options = options;
    this.#startMs = now();
    this.#others = new OtherWrites({ startMs: this.#startMs, afterMs, now });
  }

  /** Passes on the lines of a watch, in which the writes of the other version are. */
  readonly tap: OtherWrites['tap'] = (request, lines) => this.#others.tap(request, lines);

  expect(hook: string, write: DryWrite): void {
    this.#others.tried(write.path);
    const counts = this.#countsOf(hook);
    if (write.untried !== undefined || write.path.endsWith('*')) {
      counts.skipped += 1;
      return;
    }
    const key = JSON.stringify([hook, write.path, write.place.subresource]);
    const known = this.#waiting.get(key);
    if (known === undefined && this.#waiting.size >= MAX_WAITING) {
      counts.skipped += 1;
      return;
    }
    const { now, afterMs } = this.#options;
    const own = triedFields(write);
    const first = known ?? { write, own: new Set(own), dueMs: now() + afterMs };
    // What was there before the first write is still what the other version has begun with.
    const { before } = first.write;
    this.#waiting.set(key, { ...first, hook, write: { ...write, before }, own: new Set([...first.own, ...own]) });
  }

  /** Compares until `signal` aborts, then logs a summary. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        await sleep(TICK_MS, signal);
        const nowMs = this.#options.now();
        const due = [...this.#waiting].filter(([, { dueMs }]) => dueMs <= nowMs);
        for (const [key] of due) this.#waiting.delete(key);
        await atOnce(due, AT_ONCE, async ([, expected]) => this.#compare(expected, signal));
        for (const { path, owned } of this.#others.due()) this.#tellOther(path, owned);
      }
    } finally {
      this.#summary();
    }
  }

  async #compare(expected: Expected, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { hook, write } = expected;
    const { client, metrics, log } = this.#options;
    const counts = this.#countsOf(hook);
    const live = await readLive(write.path, client, signal);
    if (live.type === 'unknown') {
      counts.skipped += 1;
      return;
    }
    const differences = [...differencesOf(write, live.object), ...othersIn(expected, live.object, this.#startMs)];
    if (differences.length === 0) {
      counts.same += 1;
      return;
    }
    counts.different += 1;
    metrics.shadowDifferences.inc({ hook });
    const object = write.path;
    log.warn({ hook, object, differences: differences.slice(0, MAX_SHOWN) }, 'shadow: the other version did otherwise');
  }

  /** It may have been as this version wants it when it looked, so this is no difference by itself. */
  #tellOther(object: string, { manager, subresource, paths }: OwnedFields): void {
    this.#onlyOther += 1;
    const fields = paths.slice(0, MAX_SHOWN).map((path) => path.join('.'));
    const part = subresource === '' ? {} : { subresource };
    this.#options.log.info({ object, ...part, manager, fields }, 'shadow: only the other version wrote to it');
  }

  #summary(): void {
    const hooks = Object.fromEntries(this.#counts);
    const notCompared = this.#waiting.size;
    this.#options.log.info({ hooks, notCompared, onlyOther: this.#onlyOther }, 'shadow: what was compared');
  }

  #countsOf(hook: string): Counts {
    const counts = this.#counts.get(hook) ?? { same: 0, different: 0, skipped: 0 };
    this.#counts.set(hook, counts);
    return counts;
  }
}

type Live = { readonly type: 'read'; readonly object: unknown } | { readonly type: 'unknown' };

async function readLive(path: string, client: ShadowOptions['client'], signal: AbortSignal): Promise<Live> {
  try {
    return { type: 'read', object: await client.request({ method: 'GET', path }, signal) };
  } catch (error) {
    const isGone = error instanceof KubeError && error.status === 404;
    return isGone ? { type: 'read', object: undefined } : { type: 'unknown' };
  }
}

/** What the object has otherwise than the dry run would have left it, as text. */
export function differencesOf({ verb, before, after, place }: DryWrite, live: unknown): readonly string[] {
  if (verb === 'delete') {
    const isGone = live === undefined || valueAt(live, ['metadata', 'deletionTimestamp']) !== undefined;
    return isGone ? [] : ['it would have been deleted, and is there'];
  }
  if (live === undefined) return ['it would be there, and is not'];
  const isSecret = place.resource === 'secrets' && place.apiVersion === 'v1';
  const known = before.type === 'object' ? before.object : undefined;
  return fieldChanges(known, after)
    .filter(({ path }) => path[0] !== 'status' || place.subresource === 'status')
    .map((change): FieldChange => ({ ...change, before: valueAt(live, change.path) }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after))
    .map((change) => changeText(change, isSecret));
}

function triedFields({ before, after }: DryWrite): readonly string[] {
  const known = before.type === 'object' ? before.object : undefined;
  return fieldChanges(known, after).map(({ path }) => JSON.stringify(path));
}

/** What the other version has changed meanwhile of an object that this one changed too, otherwise. */
function othersIn({ write, own }: Expected, live: unknown, startMs: number): readonly string[] {
  const { verb, before, place } = write;
  if (verb === 'delete' || before.type !== 'object' || live === undefined) return [];
  const owned = ownedFields(live).filter(
    ({ timeMs, subresource }) => timeMs + 999 >= startMs && subresource === place.subresource,
  );
  const isSecret = place.resource === 'secrets' && place.apiVersion === 'v1';
  return fieldChanges(before.object, live)
    .filter(({ path }) => !own.has(JSON.stringify(path)) && isOwned(path, owned))
    .map((change) => `${changeText(change, isSecret)}, by the other version alone`);
}
