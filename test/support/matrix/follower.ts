import { createCluster } from '../../../src/kube/credentials/cluster.ts';
import { createKubeClient } from '../../../src/kube/kube-client.ts';
import { createListWatch } from '../../../src/kube/watch/list-watch.ts';
import { asJsonObject, type KubeObject } from '../../../src/kube/object.ts';
import { reflect, RelistRequests, type ReflectorEvent } from '../../../src/kube/watch/reflector.ts';
import { CONFIG_MAP } from '../kube-objects.ts';
import type { Following } from './cell.ts';
import type { Write } from './writer.ts';

export interface FollowerOptions {
  readonly server: URL;
  readonly proxy?: URL;
  readonly ca: string;
  readonly token: string;
  readonly namespace: string;
}

/** Follows the ConfigMaps of a namespace with its own client, and records what it receives. */
export class Follower implements Following {
  readonly restarts: string[] = [];
  /** When each value was first received. */
  readonly heardAtMs = new Map<number, number>();
  readonly disorders: string[] = [];
  lists = 0;
  readonly #states = new Map<string, number>();
  readonly #deleted = new Map<string, number>();
  readonly #listing = new Map<string, number>();
  readonly #controller = new AbortController();
  readonly #ended: Promise<void>;
  #latest = 0;
  #changed = Promise.withResolvers<void>();

  constructor(options: FollowerOptions) {
    this.#ended = this.#follow(options);
    // Rethrown to the callers that wait for it; until then it must not count as unhandled.
    this.#ended.catch(() => {});
  }

  states(): readonly string[] {
    return Array.from(this.#states, ([name, value]) => `${name}=${value}`).toSorted();
  }

  async hears(value: number, signal: AbortSignal): Promise<number | undefined> {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    while (this.#latest < value && !signal.aborted) await Promise.race([this.#changed.promise, aborted]);
    const later = [...this.heardAtMs].filter(([heard]) => heard >= value).map(([, atMs]) => atMs);
    return later.length === 0 ? undefined : Math.min(...later);
  }

  /** The writes that it should have received and did not: all since its first one, unless it listed again. */
  missed(writes: readonly Write[]): readonly string[] {
    const first = Math.min(...this.heardAtMs.keys());
    if (this.lists > 1) return [];
    return writes
      .flatMap(({ value }) => (value === undefined || value < first ? [] : [value]))
      .filter((value) => !this.heardAtMs.has(value))
      .map((value) => `value ${value} was not received`);
  }

  /** Ends it; returns whether it ended within `limitMs`. */
  async end(limitMs: number): Promise<boolean> {
    this.#controller.abort();
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), limitMs);
    const ended = this.#ended.then(() => true);
    return Promise.race([ended, late.promise]).finally(() => clearTimeout(timer));
  }

  async #follow({ server, proxy, ca, token, namespace }: FollowerOptions): Promise<void> {
    const source = { read: async () => ({ headers: { authorization: `Bearer ${token}` }, ca }), invalidate: () => {} };
    const cluster = createCluster({ name: 'matrix', server, ...(proxy === undefined ? {} : { proxy }) }, [source]);
    const client = createKubeClient(cluster, { userAgent: 'matrix' });
    const nothing = (): void => {};
    const listWatch = createListWatch(
      client,
      { kind: CONFIG_MAP, namespace },
      { withoutStreaming: new Set(), onContact: nothing, onOpen: nothing, onLateList: nothing, random: Math.random },
    );
    const { signal } = this.#controller;
    const options = { signal, relists: new RelistRequests(), now: () => performance.now(), random: Math.random };
    const onRestart = ({ reason }: { readonly reason: string }): void => void this.restarts.push(reason);
    try {
      for await (const event of reflect(listWatch, { ...options, onRestart })) this.#handle(event);
    } finally {
      await client.close();
    }
  }

  #handle(event: ReflectorEvent): void {
    switch (event.type) {
      case 'Init':
        this.#listing.clear();
        return;
      case 'InitApply':
        return read(event.object, (name, value) => this.#listing.set(name, value));
      case 'InitDone':
        return this.#listed();
      case 'Apply':
        return read(event.object, (name, value) => this.#apply(name, value));
      case 'Delete':
        return read(event.object, (name, value) => {
          this.#states.delete(name);
          this.#deleted.set(name, value);
        });
    }
  }

  #listed(): void {
    this.lists += 1;
    for (const name of this.#states.keys()) if (!this.#listing.has(name)) this.#states.delete(name);
    for (const [name, value] of this.#listing) this.#apply(name, value);
  }

  #apply(name: string, value: number): void {
    const before = this.#states.get(name) ?? this.#deleted.get(name) ?? 0;
    if (value < before) this.disorders.push(`${name}=${value} after ${before}`);
    this.#states.set(name, value);
    if (!this.heardAtMs.has(value)) this.heardAtMs.set(value, performance.now());
    this.#latest = Math.max(this.#latest, value);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/**
 * The name and the number of one of the writer's objects; the control plane creates an object of its own in each
 * namespace.
 */
function read({ name, value }: KubeObject, take: (name: string, value: number) => void): void {
  const number = Number(asJsonObject(value['data'])['value']);
  if (!Number.isNaN(number)) take(name, number);
}
