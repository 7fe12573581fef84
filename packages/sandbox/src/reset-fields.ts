import type { Target } from './api-request.ts';
import { objectAt, present, without } from './json-fields.ts';
import { isJsonObject } from './json.ts';
import { hasSubresource } from './kind.ts';

/** An applied object without the fields that its path does not write: nobody comes to own those. */
export function withoutResetFields({ kind, subresource }: Target, applied: unknown): unknown {
  if (!isJsonObject(applied)) return applied;
  if (subresource === '') return hasSubresource(kind, 'status') ? without(applied, 'status') : applied;
  if (subresource !== 'status') return applied;
  const { kind: name, apiVersion, status } = applied;
  const metadata = objectAt(applied, 'metadata');
  const identity = present({ name: metadata['name'], namespace: metadata['namespace'], uid: metadata['uid'] });
  const { resourceVersion } = metadata;
  return present({ kind: name, apiVersion, metadata: present({ ...identity, resourceVersion }), status });
}
