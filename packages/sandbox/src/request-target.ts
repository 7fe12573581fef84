/** A path as it was asked for, and its query: a URL would have resolved `..` in it to another path. */
export function splitTarget(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '', ...query] = target.split('?');
  return { path, query: new URLSearchParams(query.join('?')) };
}
