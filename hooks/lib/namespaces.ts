/** The names in `COPY_NAMESPACES`, between spaces or commas; undefined stands for all namespaces: unset, empty or `*`. */
export function chosenNamespaces(value = ''): readonly string[] | undefined {
  const names = value.split(/[\s,]+/).filter((name) => name !== '');
  return names.length === 0 || names.includes('*') ? undefined : names;
}
