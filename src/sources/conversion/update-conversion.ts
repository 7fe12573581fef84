import type { KubeClient } from '../../kube/client.ts';
import { resourcePath, type ResourceKind } from '../../kube/kind.ts';
import { asJsonObject } from '../../kube/object.ts';
import type { JsonObject } from '../../lib/json-object.ts';

export interface CrdAccess {
  readonly client: Pick<KubeClient, 'request'>;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Reads a CustomResourceDefinition with all digits of its numbers, so that it can be written again. */
export async function readCrd({ client, kind, name, signal }: CrdAccess): Promise<JsonObject> {
  return asJsonObject(
    await client.request({ method: 'GET', path: resourcePath(kind, { name }), isExact: true }, signal),
  );
}

/**
 * Applies a merge patch with the rights that manifests for shell-operator give: `get` and `update`. Takes effect only on
 * the version that it read. Returns what is there now.
 */
export async function updateConversion(patch: JsonObject, access: CrdAccess): Promise<JsonObject> {
  const { client, kind, name, signal } = access;
  const body = JSON.stringify(mergePatched(await readCrd(access), patch));
  return asJsonObject(await client.request({ method: 'PUT', path: resourcePath(kind, { name }), body }, signal));
}

/** As a server applies a merge patch: null removes a field. */
function mergePatched(value: JsonObject, patch: JsonObject): JsonObject {
  const fields = Object.entries(patch).flatMap(([key, part]): readonly [string, unknown][] => {
    if (part === null) return [];
    const isNested = typeof part === 'object' && !Array.isArray(part);
    return [[key, isNested ? mergePatched(asJsonObject(value[key]), asJsonObject(part)) : part]];
  });
  const kept = Object.entries(value).filter(([key]) => !Object.hasOwn(patch, key));
  return Object.fromEntries([...kept, ...fields]);
}
