/** Sets a value as the one used last; of more than `limit`, the one whose use is longest ago is dropped. */
export function remember<T>(
  map: Map<string, T>,
  key: string,
  { value, limit }: { readonly value: T; readonly limit: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit && oldest !== undefined) map.delete(oldest);
}
