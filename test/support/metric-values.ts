import { familyPieces } from '../../src/lib/exposition.ts';
import type { Metrics } from '../../src/metrics.ts';

/** The series of a metric that are not 0, each as `{"hook":"a"} 2`; of a histogram its counts. */
export function metricValues(metrics: Metrics, name: string): readonly string[] {
  const family = metrics.families.find((one) => one.name === name);
  if (family === undefined) throw new Error(`there is no metric ${name}`);
  return [...familyPieces(family)]
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !/_(?:bucket|sum)[{ ]/.test(line))
    .map((line) => line.replace(/^\w+/, '').replace(/^ /, ''))
    .filter((line) => !line.endsWith(' 0'));
}
