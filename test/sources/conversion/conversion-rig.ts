import type { ConversionStep } from '../../../src/sources/conversion/chain.ts';

/** One rule of a hook. */
export function step(hook: string, fromVersion: string, toVersion: string): ConversionStep {
  const rule = { fromVersion, toVersion };
  const binding = {
    type: 'kubernetesCustomResourceConversion',
    name: 'convert',
    crdName: 'crontabs.g.io',
    conversions: [rule],
    includeSnapshotsFrom: [],
  } as const;
  return { hook, binding, rule };
}
