import type { ChildToHave, KubernetesObject, NewObject } from 'hooklet';
import type { Backups } from './backups-claim.ts';

/** What there is of a SampleDB, by kind. */
export type Owned = Readonly<Record<string, readonly KubernetesObject[]>>;

interface Parts {
  /** What others mount: the volume of the data and the ConfigMaps. */
  readonly base: readonly NewObject[];
  readonly server: NewObject;
  /** What waits for the server. */
  readonly afterServer?: NewObject;
  readonly others: readonly NewObject[];
}

/**
 * The children of a SampleDB. What mounts something is made only once all of that is known to be its own, so nothing of
 * somebody else is ever mounted; what is there already stays.
 */
export function founded(
  owned: Owned,
  { base, server, afterServer, others }: Parts,
): readonly (NewObject | ChildToHave)[] {
  const mounted = base.filter(({ kind }) => kind !== 'Service');
  const isFounded = mounted.every((part) => isThere(owned, part));
  const mounting = [server, ...(afterServer === undefined ? [] : [afterServer]), ...others].filter(
    (part) => isFounded || isThere(owned, part),
  );
  const after = [`${server.kind}/${server.metadata.name ?? ''}`];
  const isServed = mounting.includes(server);
  return [...base, ...mounting.map((object) => (object === afterServer && isServed ? { object, after } : object))];
}

/** Those that write to the volume of backups and may: none to that of somebody else, and no new ones before it is there. */
export function backingUp(backups: Backups, owned: Owned, parts: readonly NewObject[]): readonly NewObject[] {
  if (backups === 'taken') return [];
  return parts.filter((part) => backups === 'ours' || isThere(owned, part));
}

function isThere(owned: Owned, { kind, metadata: { name } }: NewObject): boolean {
  const all = Object.values(owned).flat();
  return all.some((object) => object.kind === kind && object.metadata.name === name);
}
