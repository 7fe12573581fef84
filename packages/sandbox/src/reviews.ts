import { json, type ApiRequest, type Reply, type Target } from './api-request.ts';
import type { AccessAttributes, Cluster } from './cluster.ts';
import { at, objectAt, textAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { apiVersionOf } from './kind.ts';
import { timestamp } from './object-meta.ts';
import { mutatedForWrite, validateWrite } from './webhooks/write-admission.ts';
import { parseObjectBody, parseWriteOptions } from './write-options.ts';

/** Whether the resource is a review, which is answered and not stored. */
export function isReview({ kind }: Target): boolean {
  return kind.plural.endsWith('reviews') && kind.verbs.join() === 'create';
}

/** Answers a review: of access, of a token, or of the user itself. */
export function answerReview(cluster: Cluster, target: Target, request: ApiRequest): Reply {
  const { kind } = target;
  const options = parseWriteOptions(request, 'CreateOptions');
  const given = { ...parseObjectBody(request, kind.kind), kind: kind.kind, apiVersion: apiVersionOf(kind) };
  const asked = mutatedForWrite(cluster, { target, options, object: given, before: undefined });
  validateWrite(cluster, { target, options, object: asked, before: undefined });
  const review: JsonObject = {
    kind: kind.kind,
    apiVersion: apiVersionOf(kind),
    metadata: kind.plural === 'selfsubjectreviews' ? { creationTimestamp: timestamp(cluster.now()) } : {},
    ...(at(asked, 'spec') === undefined ? {} : { spec: objectAt(asked, 'spec') }),
    status: statusOf(cluster, target, objectAt(asked, 'spec')),
  };
  return json(review, 201);
}

function statusOf(cluster: Cluster, { kind }: Target, spec: JsonObject): JsonObject {
  const groups = ['system:masters', 'system:authenticated'];
  switch (kind.plural) {
    case 'selfsubjectreviews':
      return { userInfo: { username: cluster.user, groups } };
    case 'tokenreviews':
      return { authenticated: true, user: { username: cluster.user, groups } };
    case 'selfsubjectrulesreviews': {
      const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
      return { resourceRules: [all], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }], incomplete: false };
    }
    default:
      return accessStatus(cluster, spec);
  }
}

function accessStatus(cluster: Cluster, spec: JsonObject): JsonObject {
  const resource = objectAt(spec, 'resourceAttributes');
  const other = objectAt(spec, 'nonResourceAttributes');
  const attributes: AccessAttributes = {
    user: textAt(spec, 'user') === '' ? cluster.user : textAt(spec, 'user'),
    verb: textAt(resource, 'verb') || textAt(other, 'verb'),
    group: textAt(resource, 'group'),
    version: textAt(resource, 'version'),
    resource: textAt(resource, 'resource'),
    subresource: textAt(resource, 'subresource'),
    namespace: textAt(resource, 'namespace'),
    name: textAt(resource, 'name'),
    path: textAt(other, 'path'),
  };
  const answer = cluster.authorize(attributes);
  return answer === true ? { allowed: true } : { allowed: false, ...(answer === false ? {} : { reason: answer }) };
}
