/**
 * The name of a metric as it appears on the page: what the text format does not allow becomes `_`, as in shell-operator.
 */
export function metricName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_:]/gu, '_').replace(/^[0-9]/, '_');
}

/** The name of a label as it appears on the page; `undefined` for one that no label can have. */
export function labelName(name: string): string | undefined {
  return name === '' || name.startsWith('__') ? undefined : metricName(name).replaceAll(':', '_');
}
