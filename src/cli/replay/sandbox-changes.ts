import type { StorageState } from '@hooklet/sandbox';
import { objectYaml } from '../run/children-text.ts';
import { lineDiff } from '../run/line-diff.ts';
import { keyOf } from './replay-sandbox.ts';
import { isObject } from '../../lib/json-object.ts';

/** What a replay did to an object of the sandbox. */
export interface SandboxChange {
  readonly change: 'created' | 'changed' | 'deleted';
  /** `apps/v1/Deployment/default/web`. */
  readonly object: string;
  readonly diff: string;
}

type Fields = Readonly<Record<string, unknown>>;

const SERVER_SET = ['uid', 'resourceVersion', 'managedFields', 'creationTimestamp', 'generation'];

/** The objects that differ between two states of a sandbox; Events are left out. */
export function sandboxChanges(before: StorageState, after: StorageState): readonly SandboxChange[] {
  const [old, now] = [byKey(before), byKey(after)];
  const changes: SandboxChange[] = [];
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [from, to] = [old.get(key), now.get(key)];
    const diff = lineDiff(textOf(from), textOf(to));
    if (diff === '') continue;
    const change = from === undefined ? 'created' : to === undefined ? 'deleted' : 'changed';
    changes.push({ change, object: labelOf(to ?? from ?? {}), diff });
  }
  return changes.toSorted((a, b) => (a.object < b.object ? -1 : 1));
}

function byKey({ objects }: StorageState): ReadonlyMap<string, Fields> {
  return new Map(objects.filter(({ object }) => object['kind'] !== 'Event').map((one) => [keyOf(one), one.object]));
}

function textOf(object: Fields | undefined): string {
  if (object === undefined) return '';
  const entries = Object.entries(metadataOf(object)).filter(([key]) => !SERVER_SET.includes(key));
  return objectYaml({ ...object, metadata: Object.fromEntries(entries) });
}

function labelOf(object: Fields): string {
  const { namespace, name } = metadataOf(object);
  const parts = [object['apiVersion'], object['kind'], namespace, name];
  return parts.filter((part) => typeof part === 'string' && part !== '').join('/');
}

function metadataOf({ metadata }: Fields): Fields {
  return isObject(metadata) ? metadata : {};
}
