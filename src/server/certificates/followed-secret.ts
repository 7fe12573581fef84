import { apiPath } from '../../kube/api-path.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { asJsonObject, text, type KubeObject } from '../../kube/object.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches, WatchSubscription } from '../../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';
import { KubeError } from '../../errors.ts';
import { Changes } from '../../lib/changes.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** A Secret as it was seen last. */
export type SeenSecret =
  /** Neither a list nor a request has succeeded yet. */
  | { readonly type: 'unknown' }
  | { readonly type: 'missing' }
  | { readonly type: 'found'; readonly resourceVersion: string; readonly texts: ReadonlyMap<string, string> };

/** The name of a Secret. */
export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

export interface FollowedSecretOptions {
  readonly client: Pick<KubeClient, 'request'>;
  readonly watches: Watches;
  readonly place: SecretPlace;
}

const SECRET: ResourceKind = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  shortNames: [],
  isNamespaced: true,
  verbs: ['create', 'get', 'list', 'patch', 'watch'],
  subresources: [],
};

/**
 * One Secret, followed by a watch from its creation until `end`, and read by a request where it must be the newest. A
 * watch may deliver what was before the last request: what is older than that is ignored.
 */
export class FollowedSecret implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #options: FollowedSecretOptions;
  readonly #subscription: WatchSubscription;
  readonly #changes = new Changes();
  #seen: SeenSecret = { type: 'unknown' };
  /** Of the last request. */
  #atLeast = '';
  #failure: unknown;
  /** The first list has every object, later ones only what changed. */
  #firstList: 'empty' | 'found' | 'done' = 'empty';

  constructor(options: FollowedSecretOptions) {
    this.#options = options;
    const { namespace, name } = options.place;
    // The name as field selector: a Role with `resourceNames` allows this list and watch.
    const target = { kind: SECRET, namespace, fieldSelector: `metadata.name=${name}` };
    this.#subscription = options.watches.subscribe(target, this);
  }

  get seen(): SeenSecret {
    return this.#seen;
  }

  /** Why the watch has not succeeded; undefined when it has. */
  get failure(): unknown {
    return this.#failure;
  }

  follow(signal: AbortSignal): AsyncIterable<void> {
    return this.#changes.follow(signal);
  }

  end(): void {
    this.#subscription.unsubscribe();
  }

  /** Reads the Secret now. `onServerTime` gets the time of the API server. */
  async read(signal: AbortSignal, onServerTime?: (timeMs: number) => void): Promise<SeenSecret> {
    const { client, place } = this.#options;
    const path = apiPath('api', 'v1', 'namespaces', place.namespace, 'secrets', place.name);
    const timed = onServerTime === undefined ? {} : { onServerTime };
    try {
      return this.take(await client.request({ method: 'GET', path, ...timed }, signal));
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
      this.#see({ type: 'missing' });
      return this.#seen;
    }
  }

  /** Takes the response of a request that read or wrote the Secret. */
  take(response: unknown): SeenSecret {
    const seen = seenOf(asJsonObject(response));
    this.#atLeast = seen.resourceVersion;
    this.#see(seen);
    return seen;
  }

  listStarted(): void {
    if (this.#firstList !== 'done') this.#firstList = 'empty';
  }

  listed({ name }: ObjectRecord, object: KubeObject): void {
    if (name !== this.#options.place.name) return;
    if (this.#firstList !== 'done') this.#firstList = 'found';
    this.#seeWatched(object);
  }

  listDone(gone: readonly ObjectRecord[]): void {
    this.recovered();
    const isMissing = this.#firstList === 'empty';
    this.#firstList = 'done';
    if (isMissing || gone.some(({ name }) => name === this.#options.place.name)) this.#see({ type: 'missing' });
  }

  changed({ type, record, object }: StoreChange): void {
    if (record.name !== this.#options.place.name) return;
    if (type !== 'Deleted') this.#seeWatched(object);
    else if (!isOlder(object?.resourceVersion ?? record.resourceVersion, this.#atLeast)) this.#see({ type: 'missing' });
  }

  failed(error: unknown): void {
    this.#failure = error;
    this.#changes.notify();
  }

  recovered(): void {
    if (this.#failure === undefined) return;
    this.#failure = undefined;
    this.#changes.notify();
  }

  #seeWatched(object: KubeObject): void {
    if (!isOlder(object.resourceVersion, this.#atLeast)) this.#see(seenOf(object.value));
  }

  #see(seen: SeenSecret): void {
    const before = this.#seen;
    const isSame =
      seen.type === 'found' && before.type === 'found'
        ? seen.resourceVersion === before.resourceVersion
        : seen.type === before.type;
    if (isSame) return;
    this.#seen = seen;
    this.#changes.notify();
  }
}

function seenOf(object: JsonObject): Extract<SeenSecret, { type: 'found' }> {
  const resourceVersion = text(asJsonObject(object['metadata'])['resourceVersion']);
  const entries = Object.entries(asJsonObject(object['data'])).map(([key, value]): [string, string] => [
    key,
    Buffer.from(text(value), 'base64').toString('utf8'),
  ]);
  return { type: 'found', resourceVersion, texts: new Map(entries) };
}

/** Versions of one API server are numbers that grow; what is no number is not compared. */
function isOlder(version: string, than: string): boolean {
  return /^\d+$/.test(version) && /^\d+$/.test(than) && BigInt(version) < BigInt(than);
}
