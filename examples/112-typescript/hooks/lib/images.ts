/** What the hook knows of a Deployment. */
export interface Workload {
  readonly name: string;
  readonly images: readonly string[];
}

/** A key for each image, made of what a ConfigMap allows, and the Deployments that use it. */
export function describeImages(workloads: readonly Workload[]): Readonly<Record<string, string>> {
  const users = new Map<string, Set<string>>();
  for (const { name, images } of workloads) {
    for (const image of images) users.set(image, (users.get(image) ?? new Set()).add(name));
  }
  const entries = [...users].map(([image, names]) => [keyOf(image), [...names].toSorted().join('\n')] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function keyOf(image: string): string {
  return image.replaceAll(/[^\w.-]/g, '_');
}
