import { compileFilter } from '../../src/filter/filter.ts';
import { median } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import type { Measure } from '../row.ts';
import { jqPods, type JqPod } from '../jq-pods.ts';

/** Many short rounds, so that other load on the machine affects only some of them. */
const ROUNDS = 200;
const CALLS = 1000;
const PODS = 64;

/**
 * One filter on one parsed pod, including the text of the result. The limit is the same filter written by hand in
 * JavaScript.
 */
export async function row(): Promise<readonly Measure[]> {
  const pods = jqPods(PODS);
  return [
    await filterMeasure(pods, {
      expression: '.metadata.labels',
      byHand: ({ metadata }) => JSON.stringify(metadata.labels),
      mostUs: 1,
    }),
    await filterMeasure(pods, {
      expression: '{name: .metadata.name, images: [.spec.containers[].image]}',
      byHand: ({ metadata, spec }) =>
        JSON.stringify({ name: metadata.name, images: spec.containers.map(({ image }) => image) }),
      mostUs: 5,
    }),
  ];
}

interface FilterCase {
  readonly expression: string;
  readonly byHand: (pod: JqPod) => string;
  readonly mostUs: number;
}

async function filterMeasure(pods: readonly JqPod[], { expression, byHand, mostUs }: FilterCase): Promise<Measure> {
  const filter = compileFilter({ type: 'jq', expression });
  const times = await interleaved(ROUNDS, {
    hooklet: async () => usPerCall(pods, (pod) => filter.apply(pod).result.length),
    limit: async () => usPerCall(pods, (pod) => byHand(pod).length),
  });
  const goal = { type: 'value', most: mostUs } as const;
  return { name: expression, unit: 'us', hooklet: median(times.hooklet), limit: median(times.limit), goal };
}

function usPerCall(pods: readonly JqPod[], call: (pod: JqPod) => number): number {
  const startedAtMs = performance.now();
  let length = 0;
  for (let index = 0; index < CALLS; index++) {
    const pod = pods[index % pods.length];
    if (pod !== undefined) length += call(pod);
  }
  const us = ((performance.now() - startedAtMs) * 1000) / CALLS;
  // The results are used, so that the calls are not optimized away.
  if (length === 0) throw new Error('the filter gave nothing');
  return us;
}
