/** What a request path names. */
export interface ObjectPlace {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly resource: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  /** Empty for a collection. */
  readonly name: string;
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** Reads a path such as `/apis/apps/v1/namespaces/default/deployments/web/scale`; undefined for any other. */
export function placeOfPath(path: string): ObjectPlace | undefined {
  const [root, ...parts] = path
    .slice(1)
    .split('/')
    .map((part) => decodeURIComponent(part));
  if (root !== 'api' && root !== 'apis') return undefined;
  const versionParts = root === 'api' ? 1 : 2;
  const rest = parts.slice(versionParts);
  const namespace = namespaceIn(rest);
  const [resource, name = '', ...subresource] = namespace === '' ? rest : rest.slice(2);
  if (resource === undefined) return undefined;
  const apiVersion = parts.slice(0, versionParts).join('/');
  return { apiVersion, resource, namespace, name, subresource: subresource.join('/') };
}

/** A path ends in a namespace where it names the namespace itself, or its status. */
function namespaceIn([first, namespace = '', resource]: readonly string[]): string {
  const isInside = first === 'namespaces' && resource !== undefined && !NAMESPACE_PARTS.includes(resource);
  return isInside ? namespace : '';
}

const NAMESPACE_PARTS = ['status', 'finalize'];

/** The path of the object itself, for that of one of its subresources. */
export function objectPath(path: string, { subresource }: ObjectPlace): string {
  return subresource === '' ? path : path.slice(0, path.length - subresource.length - 1);
}
