import type { Metrics } from '../../src/metrics.ts';

/** The series of a metric that are not 0, each as `{"hook":"a"} 2`; of a histogram its counts. */
export async function metricValues(metrics: Metrics, name: string): Promise<readonly string[]> {
  const text = await metrics.registry.getSingleMetricAsString(name);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !/_(?:bucket|sum)\{/.test(line))
    .map((line) => line.replace(/^\w+/, '').replace(/^ /, ''))
    .filter((line) => !line.endsWith(' 0'));
}
