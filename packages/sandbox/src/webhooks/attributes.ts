import type { Target } from '../api-request.ts';
import type { Cluster } from '../cluster.ts';
import type { JsonObject } from '../json.ts';
import { apiVersionOf, type ServedKind } from '../kind.ts';

/** The operations that webhooks are called for. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** What a request is about to do, as webhooks are told. */
export interface Attributes {
  readonly operation: Operation;
  readonly resource: ServedKind;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
}

/** The attributes of an operation on a target. */
export function attributesOf(
  { kind, namespace, name, subresource }: Target,
  rest: Pick<Attributes, 'operation' | 'object' | 'oldObject' | 'options' | 'dryRun'>,
): Attributes {
  // A namespace is in itself.
  const within = kind.collection === 'namespaces' ? name : namespace;
  return { resource: kind, subresource, name, namespace: within, ...rest };
}

/** The versions of a resource that an object can be converted to, the given one first. */
export function equivalents({ kinds }: Cluster, { resource, subresource }: Attributes): readonly ServedKind[] {
  const others = kinds
    .all()
    .filter(
      (kind) =>
        kind.collection === resource.collection &&
        apiVersionOf(kind) !== apiVersionOf(resource) &&
        (subresource === '' || kind.subresources.some(({ name }) => name === subresource)),
    );
  return [resource, ...others];
}
