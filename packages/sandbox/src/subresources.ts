import { json, type ApiRequest, type Reply, type Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { parseDeleteOptions } from './delete-options.ts';
import { deleteStored } from './delete.ts';
import { storeOrRemove } from './finalization.ts';
import { arrayAt, at, numberAt, objectAt, objectsAt, textAt, withAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { patchObject, putObject } from './modify.ts';
import { timestamp, withMetadata } from './object-meta.ts';
import { findObject, getObject } from './read.ts';
import { getScale, writeScale } from './scale.ts';
import { methodNotAllowed, StatusError } from './status-error.ts';
import { served } from './wire.ts';
import { mutatedForWrite, validateWrite } from './webhooks/write-admission.ts';
import { parseObjectBody, parseWriteOptions } from './write-options.ts';

/** Answers a request for a path below an object. */
export function answerSubresource(cluster: Cluster, target: Target, verb: string, request: ApiRequest): Reply {
  switch (target.subresource) {
    case 'scale':
      return verb === 'get' ? getScale(cluster, target) : writeScale(cluster, target, request);
    case 'binding':
      return bind(cluster, target, request);
    case 'eviction':
      return evict(cluster, target, request);
    case 'token':
      return issueToken(cluster, target, request);
    case 'finalize':
      return finalize(cluster, target, request);
    case 'log':
      findObject(cluster, target);
      return { type: 'text', code: 200, contentType: 'text/plain', chunks: [] };
    default:
      return answerPart(cluster, target, verb, request);
  }
}

/** Answers for a subresource that returns the whole object and changes a part of it. */
function answerPart(cluster: Cluster, target: Target, verb: string, request: ApiRequest): Reply {
  if (verb === 'get') return getObject(cluster, target, request);
  if (verb === 'update') return putObject(cluster, target, request);
  if (verb === 'patch') return patchObject(cluster, target, request);
  throw methodNotAllowed();
}

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function bind(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const stored = findObject(cluster, target);
  const binding = admittedPart(cluster, target, request, typed('v1', 'Binding', parseObjectBody(request, 'Binding')));
  const node = textAt(binding, 'target', 'name');
  const bound = textAt(stored.object, 'spec', 'nodeName');
  if (bound !== '') throw alreadyBound(target.name, bound);
  if (parseWriteOptions(request, 'CreateOptions').dryRun) return json(SUCCESS, 201);
  const since = timestamp(cluster.now());
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: since };
  const others = objectsAt(stored.object, 'status', 'conditions').filter((entry) => entry['type'] !== 'PodScheduled');
  const assigned = withAt(stored.object, ['spec', 'nodeName'], node);
  cluster.storage.put(stored.collection, withAt(assigned, ['status', 'conditions'], [...others, scheduled]));
  return json(SUCCESS, 201);
}

/** What webhooks leave of an object that is posted to a part of another one. */
function admittedPart(cluster: Cluster, target: Target, request: ApiRequest, object: JsonObject): JsonObject {
  const options = parseWriteOptions(request, 'CreateOptions');
  const placed = withMetadata(object, { namespace: target.namespace });
  const after = mutatedForWrite(cluster, { target, options, object: placed, before: undefined });
  validateWrite(cluster, { target, options, object: after, before: undefined });
  return after;
}

function typed(apiVersion: string, kind: string, object: JsonObject): JsonObject {
  return { ...object, kind, apiVersion };
}

function alreadyBound(name: string, node: string): StatusError {
  const message = `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} is already assigned to node "${node}"`;
  return new StatusError({ code: 409, reason: 'Conflict', message, details: { name, kind: 'pods/binding' } });
}

function evict(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const stored = findObject(cluster, target);
  const given = typed('policy/v1', 'Eviction', parseObjectBody(request, 'Eviction'));
  const eviction = admittedPart(cluster, target, request, given);
  const body = JSON.stringify(objectAt(eviction, 'deleteOptions'));
  const options = parseDeleteOptions({ ...request, body });
  deleteStored(cluster, stored, options);
  return json(SUCCESS, 201);
}

function issueToken(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  findObject(cluster, target);
  const given = typed('authentication.k8s.io/v1', 'TokenRequest', parseObjectBody(request, 'TokenRequest'));
  const asked = admittedPart(cluster, target, request, given);
  const seconds = numberAt(asked, 'spec', 'expirationSeconds') ?? 3600;
  const review: JsonObject = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: target.name, namespace: target.namespace, creationTimestamp: timestamp(cluster.now()) },
    spec: {
      audiences: arrayAt(asked, 'spec', 'audiences'),
      expirationSeconds: seconds,
      boundObjectRef: at(asked, 'spec', 'boundObjectRef') ?? null,
    },
    status: {
      token: `sandbox.${target.namespace}.${target.name}`,
      expirationTimestamp: timestamp(cluster.now() + seconds * 1000),
    },
  };
  return json(review, 201);
}

function finalize(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const stored = findObject(cluster, target);
  const options = parseWriteOptions(request, 'UpdateOptions');
  const given = typed('v1', 'Namespace', parseObjectBody(request, 'Namespace'));
  const object = mutatedForWrite(cluster, { target, options, object: given, before: stored.object });
  validateWrite(cluster, { target, options, object, before: stored.object });
  const finalizers = arrayAt(object, 'spec', 'finalizers');
  const spec = finalizers.length === 0 ? {} : { finalizers };
  return json(served(target.kind, storeOrRemove(cluster.storage, stored, { ...stored.object, spec })));
}
