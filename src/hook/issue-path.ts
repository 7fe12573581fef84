/** Splits `kubernetes[1].labelSelector` and `a["odd key"]` into their parts; a shortened key is not found later. */
export function partsOf(path: string): readonly (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([\w-]+)/g)].map(([, index, quoted, name]) => {
    return index === undefined ? (quoted ?? name ?? '') : Number(index);
  });
}
