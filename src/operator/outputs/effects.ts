import { applyOperations } from '../../effects/apply-operations.ts';
import type { HookMetrics } from '../../effects/hook-metrics.ts';
import { operationsDespiteFailure } from '../../effects/operation.ts';
import { metricsDespiteFailure } from '../../effects/parse-metrics.ts';
import { PatchMemory } from '../../effects/patch-memory.ts';
import type { Filters } from '../../filter/filters.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Effects } from '../../run/attempt.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { createOutputReader } from './read-outputs.ts';

export interface EffectsParts {
  readonly access: ClusterAccess;
  readonly filters: Pick<Filters, 'compilePatch'>;
  readonly hookMetrics: HookMetrics;
  readonly metrics: Pick<Metrics, 'hookMetricsDropped'>;
  readonly log: Logger;
}

/** Creates the effects of all runs: operations go to the API server, metrics to `hookMetrics`. */
export function createEffects({ access, filters, hookMetrics, metrics: own, log }: EffectsParts): Effects {
  const memory = new PatchMemory();
  const reader = createOutputReader();
  return {
    async parse(_hook, outputs, signal) {
      const { operations, warnings } = await reader.patch(outputs.patch, signal);
      const metrics = await reader.metrics(outputs.metrics, signal);
      return {
        operations,
        metrics: metrics.operations,
        warnings: [...named('KUBERNETES_PATCH_PATH', warnings), ...named('METRICS_PATH', metrics.warnings)],
      };
    },
    parseResult: async (text, scope, signal) => {
      const { warnings, ...parsed } = await reader.result(text, scope, signal);
      return { ...parsed, warnings: named('RESULT_PATH', warnings) };
    },
    parseAfterFailure: {
      patch: async (patch, signal) => operationsDespiteFailure((await reader.patch(patch, signal)).operations),
      metrics: async (metrics, signal) => metricsDespiteFailure((await reader.metrics(metrics, signal)).operations),
    },
    apply: async (operations, onApplied, signal) => {
      const { patchClient: client, kinds } = access;
      const compileJq = (expression: string) => filters.compilePatch(expression);
      return applyOperations(operations, { client, kinds, compileJq, memory, signal, log, onApplied });
    },
    applyMetrics(hook, operations) {
      const dropped = hookMetrics.apply(hook, operations);
      if (dropped === undefined) return;
      own.hookMetricsDropped.inc({ hook }, dropped.count);
      const { count, series, reason } = dropped;
      log.warn({ hook, count, series, reason }, 'metrics of the hook were dropped');
    },
  };
}

function named(file: string, warnings: readonly string[]): readonly string[] {
  return warnings.map((warning) => `${file}, ${warning}`);
}
