import type { Target } from './api-request.ts';
import { objectAt, present, without } from './json-fields.ts';
import { isJsonObject } from './json.ts';
import { hasSubresource } from './kind.ts';

/**
 * Returns an applied object without the fields that a request to this path does not write, so that its manager does not
 * come to own them.
 */
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
