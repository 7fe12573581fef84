import { isJsonObject, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { KubeError } from '../../errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Kinds, ResourceKind } from '../../kube/kind.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { WatchTarget } from '../../kube/watch/list-watch.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { latch } from '../../lib/latch.ts';
import type { Logger } from '../../log.ts';
import { fieldSelectorText, labelSelectorText } from '../../sources/kubernetes/targets.ts';
import type { Copies } from './copies.ts';
import { serveKind } from './definitions.ts';
import { wantedKey, type Wanted } from './wanted.ts';

export interface FollowParts {
  /** It only reads. */
  readonly client: KubeClient;
  readonly kinds: Kinds;
  readonly watches: Watches;
  readonly sandbox: Pick<Sandbox, 'apply' | 'mirror'>;
  readonly copies: Copies;
  readonly log: Logger;
}

/**
 * Copies what is wanted of the real cluster until `signal` aborts; resolves when the first list is copied, or refused.
 * A refusal is logged and tried again: the hooks run without these objects meanwhile.
 */
export async function followWanted(wanted: Wanted, parts: FollowParts, signal: AbortSignal): Promise<void> {
  const { kinds, log } = parts;
  const { reference } = wanted;
  try {
    const kind = await kinds.resolve(reference, signal);
    await serveKind(kind, parts, signal);
    await Promise.all(targetsOf(wanted, kind).map(async (target) => followTarget(target, parts, signal)));
  } catch (error) {
    if (signal.aborted) return;
    log.warn({ kind: reference.kind, err: error }, 'a kind of the cluster cannot be copied: hooks see none of it');
  }
}

function targetsOf({ namespace, selection = {} }: Wanted, kind: ResourceKind): readonly WatchTarget[] {
  const { names = [], fieldSelector = [] } = selection;
  const labelSelector = labelSelectorText(selection.labelSelector);
  const base = {
    kind,
    ...(namespace !== undefined && kind.isNamespaced && { namespace }),
    ...(labelSelector !== '' && { labelSelector }),
  };
  const byName = names.map((name) => [
    ...fieldSelector,
    { field: 'metadata.name', operator: '=' as const, value: name },
  ]);
  const all = names.length === 0 ? [fieldSelector] : byName;
  return all.map((fields) => (fields.length === 0 ? base : { ...base, fieldSelector: fieldSelectorText(fields) }));
}

async function followTarget(target: WatchTarget, parts: FollowParts, signal: AbortSignal): Promise<void> {
  const first = latch();
  const subscription = parts.watches.subscribe(target, subscriberOf(target, parts, first.resolve));
  signal.addEventListener('abort', () => {
    subscription.unsubscribe();
    first.resolve();
  });
  await first.promise;
}

function subscriberOf(
  { kind, namespace, ...selectors }: WatchTarget,
  { copies, log }: FollowParts,
  onFirst: () => void,
): WatchSubscriber {
  const { kind: name, apiVersion } = kind;
  const holder = wantedKey({
    reference: { kind: name, apiVersion },
    namespace: JSON.stringify([namespace, selectors]),
  });
  const put = (object: KubeObject): void => {
    const json = object.json();
    const copy = withKind(JSON.parse(Buffer.from(json).toString('utf8')), kind);
    if (copy !== undefined) copies.put(copy, json.length, holder);
  };
  const drop = (place: { readonly namespace: string; readonly name: string }): void =>
    copies.drop({ apiVersion, kind: name, namespace: place.namespace, name: place.name }, holder);
  return {
    keepsObjects: false,
    listStarted: () => {},
    listed: (_, object) => put(object),
    listDone: (gone) => {
      for (const record of gone) drop(record);
      onFirst();
    },
    changed: (change) => {
      if (change.type === 'Deleted') drop(change.record);
      else put(change.object);
    },
    failed: (error) => {
      log.warn(
        { kind: name, ...(namespace && { namespace }), err: error, ...adviceFor(error) },
        'objects of the cluster cannot be read: hooks see none that are not copied yet',
      );
      onFirst();
    },
    recovered: () => log.info({ kind: name }, 'objects of the cluster can be read again'),
  };
}

function adviceFor(error: unknown): object {
  const isForbidden = error instanceof KubeError && error.status === 403;
  return isForbidden ? { advice: 'the account of the context needs list and watch on them' } : {};
}

/** Items of lists have neither. */
function withKind(value: unknown, { apiVersion, kind }: ResourceKind): JsonObject | undefined {
  return isJsonObject(value) ? { ...value, apiVersion, kind } : undefined;
}
