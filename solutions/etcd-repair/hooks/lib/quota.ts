/** The used fields of a ResourceQuota. */
export interface Quota {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

const CONCERNS = {
  pods: /^(?:count\/)?pods$|^(?:(?:requests|limits)\.)?(?:cpu|memory|ephemeral-storage)$|hugepages|^requests\..*\//,
  persistentvolumeclaims: /^(?:count\/)?persistentvolumeclaims$|^requests\.storage$|storageclass\.storage\.k8s\.io\//,
} as const;

/**
 * Of which more is used than there may be, so that what goes would not make room for what comes; undefined when there
 * is nothing.
 */
export function overused(quotas: readonly Quota[], plural: keyof typeof CONCERNS): string | undefined {
  const found = quotas.flatMap(({ metadata: { name }, status: { hard = {}, used = {} } = {} }) =>
    Object.entries(hard)
      .filter(([resource, most]) => CONCERNS[plural].test(resource) && quantity(used[resource] ?? '0') > quantity(most))
      .map(([resource, most]) => ({ name, text: `the quota ${name} has ${resource}=${used[resource]} of ${most}` })),
  );
  if (found.length === 0) return undefined;
  const names = [...new Set(found.map(({ name }) => name))].join(' ');
  return `${found.map(({ text }) => text).join(', ')}; see kubectl describe resourcequota ${names}.`;
}

const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Parses a Kubernetes quantity: `500m`, `8Gi`, `2e3`. */
export function quantity(text: string): number {
  const [, digits = '', suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([a-zA-Z]*)$/.exec(text) ?? [];
  return Number(digits === '' ? Number.NaN : digits) * (FACTORS[suffix] ?? 1);
}
