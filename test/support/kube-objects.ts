import type { ResourceKind } from '../../src/kube/kind.ts';

/** The fields of an object that a test sets; the rest is filled in. */
export interface ObjectSpec {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly version?: string | number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly data?: unknown;
}

/** The discovery entry of a kind. */
export function resourceKind(kind: string, fields: Partial<ResourceKind> = {}): ResourceKind {
  const plural = `${kind.toLowerCase()}s`;
  const { group = '', version = 'v1' } = fields;
  return {
    group,
    version,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    isNamespaced: true,
    verbs: ['get', 'list', 'watch'],
    subresources: [],
    ...fields,
  };
}

export const CONFIG_MAP = resourceKind('ConfigMap');

/** An object as a watch shows it. */
export function kubeObject({ name, namespace = 'default', uid = `uid-${name}`, version = '1', ...rest }: ObjectSpec) {
  const { labels, data } = rest;
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid,
      resourceVersion: String(version),
      ...(labels === undefined ? {} : { labels }),
    },
    ...(data === undefined ? {} : { data }),
  };
}

/** A typed list: its items lack kind and apiVersion. */
export function kubeList(items: readonly ObjectSpec[], { version = '10', token = '' } = {}) {
  return {
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: version, ...(token === '' ? {} : { continue: token }) },
    items: items.map((spec) => {
      const { metadata, ...rest } = kubeObject(spec);
      const { kind: _kind, apiVersion: _apiVersion, ...body } = rest;
      return { metadata, ...body };
    }),
  };
}

/** A line of a watch. */
export function watchLine(type: 'ADDED' | 'MODIFIED' | 'DELETED', spec: ObjectSpec) {
  return { type, object: kubeObject(spec) };
}

export function bookmark(version: string | number, { isInitialEventsEnd = false } = {}) {
  return {
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: String(version),
        creationTimestamp: null,
        ...(isInitialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
      },
    },
  };
}

export function errorLine(code: number, reason: string, details: Readonly<Record<string, unknown>> = {}) {
  return {
    type: 'ERROR',
    object: {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code,
      reason,
      message: `${reason} ${code}`,
      details,
    },
  };
}
