import { dirname } from 'node:path';
import { describeMetric, describeOperation } from '../../effects/describe-operation.ts';
import { parseMetrics } from '../../effects/parse-metrics.ts';
import { parseOperations } from '../../effects/parse-operations.ts';
import { HookConfigError } from '../../errors.ts';
import type { Hook } from '../../hook/binding.ts';
import type { HookFile } from '../../hook/discover.ts';
import { loadHook } from '../../hook/load.ts';
import { checkFilter } from '../../units/filter-check.ts';
import type { AnsweredContext } from './answered.ts';
import { openLocalRunner } from './local-runner.ts';
import { runOnce, type DescribedOutput, type RunOnceOptions } from './run.ts';
import { shutdownSignal } from '../shutdown.ts';

/** A hook that is run on this machine, without an operator. */
export interface LocalHook {
  readonly hook: Hook;
  /** As `runOnce`, with the report in words. */
  readonly run: (run: Pick<RunOnceOptions, 'context' | 'runId' | 'write'>) => Promise<readonly AnsweredContext[]>;
}

/** Loads a hook, and throws what is wrong with it; `writeLog` takes what it logs. */
export async function openLocalHook(
  file: HookFile,
  ends: AsyncDisposableStack,
  writeLog?: (line: string) => void,
): Promise<LocalHook> {
  const signal = shutdownSignal(() => {});
  const { runner, outputLog } = openLocalRunner(dirname(file.path), ends, writeLog);
  const hook = await loadHook(file, { readConfig: async (one) => runner.readConfig(one, signal), checkFilter });
  if (hook instanceof HookConfigError) throw hook;
  const checkJq = (expression: string): string | undefined => checkFilter({ type: 'jq', expression });
  return {
    hook,
    run: async (run) =>
      runOnce({
        ...run,
        executor: runner,
        hook,
        onOutput: (output) => outputLog.output({ hook: hook.name }, output),
        describeOperations: (text) => described(parseOperations(text, checkJq), describeOperation),
        describeMetrics: (text) => described(parseMetrics(text), describeMetric),
        signal,
      }),
  };
}

function described<T>(
  { operations, warnings }: { readonly operations: readonly T[]; readonly warnings: readonly string[] },
  describe: (operation: T) => string,
): DescribedOutput {
  return { operations: operations.map(describe), warnings };
}
