/**
 * Splits a request target into its path, unchanged, and its query. A URL would resolve `..` in the path and so lead to
 * another path.
 */
export function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', ...query] = target.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}
