import { applyOperations } from '../effects/apply-operations.ts';
import type { HookMetrics } from '../effects/hook-metrics.ts';
import { operationsDespiteFailure } from '../effects/operation.ts';
import { metricsDespiteFailure, parseMetrics } from '../effects/parse-metrics.ts';
import { parseOperations } from '../effects/parse-operations.ts';
import { PatchMemory } from '../effects/patch-memory.ts';
import type { Filters } from '../filter/filters.ts';
import type { Logger } from '../log.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { checkFilter } from './filter-check.ts';
import type { TaskRunOptions } from './task-run.ts';

export type Effects = Pick<TaskRunOptions, 'parse' | 'parseAfterFailure' | 'apply' | 'applyMetrics'>;

export interface EffectsParts {
  readonly access: ClusterAccess;
  readonly filters: Pick<Filters, 'compilePatch'>;
  readonly hookMetrics: HookMetrics;
  readonly log: Logger;
}

/** Reads and carries out what hooks write; metrics go to `hookMetrics`. */
export function createEffects({ access, filters, hookMetrics, log }: EffectsParts): Effects {
  const memory = new PatchMemory();
  const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });
  return {
    parse(hook, outputs) {
      const { operations, warnings } = parseOperations(outputs.patch, checkJq);
      const metrics = parseMetrics(outputs.metrics);
      hookMetrics.check(hook, metrics.operations);
      return {
        operations,
        metrics: metrics.operations,
        warnings: [...named('KUBERNETES_PATCH_PATH', warnings), ...named('METRICS_PATH', metrics.warnings)],
      };
    },
    parseAfterFailure: {
      patch: (patch) => operationsDespiteFailure(parseOperations(patch, checkJq).operations),
      metrics: (metrics) => metricsDespiteFailure(parseMetrics(metrics).operations),
    },
    apply: async (operations, onApplied, signal) => {
      const { client, kinds } = access;
      const compileJq = (expression: string) => filters.compilePatch(expression);
      await applyOperations(operations, { client, kinds, compileJq, memory, signal, log, onApplied });
    },
    applyMetrics: (hook, operations) => hookMetrics.apply(hook, operations),
  };
}

function named(file: string, warnings: readonly string[]): readonly string[] {
  return warnings.map((warning) => `${file}, ${warning}`);
}
