/** Replaces the namespace and the name in `path` by placeholders, so that it can be a metric label. */
export function urlTemplate(path: string): string {
  const [, root, ...rest] = path.split('/');
  const isCore = root === 'api';
  if (!isCore && root !== 'apis') return path;
  const prefix = rest.slice(0, isCore ? 1 : 2);
  return ['', root, ...prefix, ...template(rest.slice(prefix.length))].join('/');
}

function template([resource, name, ...rest]: readonly string[]): readonly string[] {
  if (resource === undefined) return [];
  if (name === undefined) return [resource];
  // `status` and `finalize` after a namespace are its subresources, not resources in it.
  const isInNamespace = resource === 'namespaces' && rest[0] !== undefined && !NAMESPACE_SUBRESOURCES.has(rest[0]);
  if (isInNamespace) return ['namespaces', '{namespace}', ...template(rest)];
  return [resource, '{name}', ...rest];
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);
