import type { JsonObject } from '../json.ts';
import { isBuiltInGroup } from './built-in-topology.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import type { PatchKind } from './ownership.ts';
import { topologyFor } from './ownership.ts';
import { PatchRefused } from './patch-refused.ts';
import type { ApplyRequest } from './server-side-apply.ts';
import { serverSideApply } from './server-side-apply.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';

export type { PatchKind } from './ownership.ts';
export { PatchRefused } from './patch-refused.ts';
export { trackUpdate } from './track-update.ts';

/** One patch of one object. */
export interface PatchRequest extends ApplyRequest {
  readonly type: 'json' | 'merge' | 'strategic' | 'apply';
}

/**
 * Returns the object that a patch makes of `current`; throws PatchRefused. Only `apply` can create an object, and only
 * `apply` writes `metadata.managedFields`: after the other types the caller must call `trackUpdate`.
 */
export function applyPatch(request: PatchRequest): JsonObject {
  if (request.type === 'apply') return serverSideApply(request);
  const { type, patch, kind } = request;
  if (type === 'strategic' && !isBuiltInGroup(kind.group)) throw unsupportedMediaType();
  if (request.current === undefined) throw notFound(kind);
  switch (type) {
    case 'json':
      return applyJsonPatch(request.current, patch);
    case 'merge':
      return applyMergePatch(request.current, patch);
    case 'strategic':
      return applyStrategicMergePatch(request.current, patch, topologyFor(kind));
  }
}

function unsupportedMediaType(): PatchRefused {
  const accepted = 'application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new PatchRefused({ code: 415, reason: 'UnsupportedMediaType', message });
}

function notFound({ kind }: PatchKind): PatchRefused {
  return new PatchRefused({ code: 404, reason: 'NotFound', message: `${kind} not found` });
}
