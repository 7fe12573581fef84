import { expect, it } from 'vitest';
import { collectProcess } from '../../src/operator/process-registry.ts';

it('metrics of the process have their usual names, without what costs more than it tells', async () => {
  const text = await collectProcess().metrics();

  expect(text).toContain('\nprocess_cpu_seconds_total ');
  expect(text).toContain('\nnodejs_eventloop_lag_seconds ');
  expect(text).not.toContain('nodejs_eventloop_lag_p99_seconds');
});
