import { expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics.ts';
import { LoopWarnings } from '../../src/units/loop-warnings.ts';
import { metricValues } from '../support/metric-values.ts';
import { recordingLogger } from '../support/recording-logger.ts';

it('counts each run of a loop, and tells each hook and object once in 600 s', () => {
  let nowMs = 0;
  const log = recordingLogger();
  const metrics = createMetrics('');
  const warnings = new LoopWarnings({ metrics, log, now: () => nowMs });
  const loop = { object: 'v1/ConfigMap/default/a', turns: 11, fields: [] };

  warnings.record('x.sh', loop);
  warnings.record('x.sh', loop);
  warnings.record('y.sh', loop);
  nowMs = 599_999;
  warnings.record('x.sh', loop);

  expect(log.lines.map(({ fields }) => fields['hook'])).toEqual(['x.sh', 'y.sh']);

  nowMs = 600_000;
  warnings.record('x.sh', loop);

  expect(log.lines).toHaveLength(3);

  for (const name of ['b', 'c', 'd', 'e']) warnings.record('z.sh', { ...loop, object: `v1/ConfigMap/default/${name}` });

  expect(log.lines.slice(3).map(({ fields }) => fields['object'])).toEqual(
    ['b', 'c', 'd'].map((name) => `v1/ConfigMap/default/${name}`),
  );
  expect(metricValues(metrics, 'hook_loop_runs_total')).toEqual([
    '{hook="x.sh"} 4',
    '{hook="y.sh"} 1',
    '{hook="z.sh"} 4',
  ]);
});
