import { json, type ApiRequest, type Reply, type Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { at, numberAt, objectAt, present, stringMapAt, textAt, withAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { patchType } from './modify.ts';
import { nameOf, resourceVersionOf, timestamp, withMetadata } from './object-meta.ts';
import { applyPatch } from './patch/apply-patch.ts';
import { findObject } from './read.ts';
import { badRequest, invalid, invalidValue } from './status-error.ts';
import { servedObject } from './webhooks/conversion.ts';
import { mutatedForWrite, validateWrite } from './webhooks/write-admission.ts';
import { parseObjectBody, parsePatch, parseWriteOptions } from './write-options.ts';
import { updateObject } from './write.ts';

/** Answers a get of an object's scale. */
export function getScale(cluster: Cluster, target: Target): Reply {
  return json(scaleOf(target, servedObject(cluster, target.kind, findObject(cluster, target).object)));
}

/** Answers a PUT or a PATCH of an object's scale. */
export function writeScale(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const current = findObject(cluster, target);
  const object = servedObject(cluster, target.kind, current.object);
  const options = parseWriteOptions(request, 'UpdateOptions');
  const before = scaleOf(target, object);
  const asked =
    request.method === 'PUT'
      ? parseObjectBody(request, 'Scale')
      : applyPatch({
          type: patchType(request),
          current: before,
          patch: parsePatch(request),
          fieldManager: options.fieldManager,
          force: options.force,
          kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
          now: timestamp(cluster.now()),
          subresource: 'scale',
        });
  const scale = mutatedForWrite(cluster, { target, options, object: asked, before });
  if (nameOf(scale) !== target.name) {
    throw badRequest(`the name of the object (${nameOf(scale)}) does not match the name on the URL (${target.name})`);
  }
  const replicas = numberAt(scale, 'spec', 'replicas') ?? 0;
  if (replicas < 0) {
    const cause = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, nameOf(object), [cause]);
  }
  validateWrite(cluster, { target, options, object: scale, before });
  const scaled = withMetadata(withAt(object, pathOf(specPath(target)), replicas), {
    resourceVersion: resourceVersionOf(scale) === '' ? undefined : resourceVersionOf(scale),
  });
  return json(scaleOf(target, updateObject(cluster, current, { target, object: scaled, options, managed: false })));
}

function specPath({ kind }: Target): string {
  return kind.custom?.scale?.specPath ?? '.spec.replicas';
}

function pathOf(jsonPath: string): readonly string[] {
  return jsonPath.split('.').filter((step) => step !== '');
}

function scaleOf(target: Target, object: JsonObject): JsonObject {
  const custom = target.kind.custom?.scale;
  const metadata = objectAt(object, 'metadata');
  const { name = '', namespace, uid = '', resourceVersion, creationTimestamp } = metadata;
  const selector = custom === undefined ? builtInSelector(object) : textAt(object, ...pathOf(custom.selectorPath));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: present({ name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: present({ replicas: at(object, ...pathOf(specPath(target))) }),
    status: present({
      replicas: at(object, ...pathOf(custom?.statusPath ?? '.status.replicas')) ?? 0,
      selector: selector === '' ? undefined : selector,
    }),
  };
}

function builtInSelector(object: JsonObject): string {
  const labels = at(object, 'spec', 'selector', 'matchLabels') ?? at(object, 'spec', 'selector') ?? {};
  return stringMapAt(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');
}
