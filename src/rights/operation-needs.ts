import type { PatchOperation } from '../effects/operation.ts';
import type { KindReference } from '../kube/kind.ts';
import { needsOf, type Need, type NeedOwner } from './need.ts';
import { timesText } from './request-counts.ts';
import type { FindResource } from './known-resource.ts';

/**
 * What was asked of a kind of objects: a patch operation, the status or Events of a result, or what hooklet records in an
 * annotation of the object: a state, or what was told once.
 */
export type SeenVerb = PatchOperation['operation'] | 'Status' | 'Event' | 'Record';

export const SEEN_VERBS = [
  'Create',
  'CreateIfNotExists',
  'CreateOrUpdate',
  'Delete',
  'DeleteInBackground',
  'DeleteNonCascading',
  'MergePatch',
  'JSONPatch',
  'JQPatch',
  'Apply',
  'Status',
  'Event',
  'Record',
] as const satisfies readonly SeenVerb[];

/** Operations of one kind that a hook asked for. */
export interface SeenOperation {
  readonly hook: string;
  readonly verb: SeenVerb;
  readonly target: KindReference;
  /** Empty for a cluster-scoped kind. */
  readonly namespace: string;
  /** Empty for the object itself. */
  readonly subresource: string;
  readonly count: number;
}

/** What an operation needs in all its branches: that of the run that was seen, and the others. */
export function operationNeeds(seen: SeenOperation, find: FindResource): readonly Need[] {
  const { hook, verb, target, namespace, subresource, count } = seen;
  const resource = find(target);
  const of: NeedOwner = { type: 'hook', hook };
  const base = {
    group: resource.group,
    namespace: resource.isNamespaced ? namespace : '',
    of,
    reason: `${verb} of ${resource.kind}${subresource === '' ? '' : `/${subresource}`}, seen ${timesText(count)}`,
    ...(resource.isVerified ? {} : { isUnverified: true as const }),
  };
  if (verb === 'Event') {
    // Events are written through the core group.
    return needsOf({ ...base, group: '', resource: 'events', namespace: namespace || 'default' }, ['create', 'patch']);
  }
  const sub = verb === 'Status' ? 'status' : subresource;
  const part = sub === '' ? resource.plural : `${resource.plural}/${sub}`;
  // No apply creates a subresource.
  if (verb === 'Apply' && sub !== '') return needsOf({ ...base, resource: part }, ['patch']);
  return VERBS[verb].flatMap(([on, ...verbs]) =>
    needsOf({ ...base, resource: on === 'part' && sub !== '' ? part : resource.plural }, verbs),
  );
}

type Verbs = readonly ['object' | 'part', ...string[]];

const GET: Verbs = ['object', 'get'];

/** By what the operation is: the verbs on the object or subresource that is written, and those on the object. */
const VERBS: Readonly<Record<Exclude<SeenVerb, 'Event'>, readonly Verbs[]>> = {
  Create: [['part', 'create']],
  CreateIfNotExists: [['part', 'create']],
  CreateOrUpdate: [['part', 'create', 'update'], GET],
  Apply: [['part', 'create', 'patch']],
  MergePatch: [['part', 'patch']],
  JSONPatch: [['part', 'patch']],
  JQPatch: [['part', 'update'], GET],
  Delete: [['part', 'delete'], GET],
  DeleteInBackground: [['part', 'delete']],
  DeleteNonCascading: [['part', 'delete']],
  Status: [['part', 'patch'], GET],
  // It is read after a conflict.
  Record: [['object', 'patch'], GET],
};
