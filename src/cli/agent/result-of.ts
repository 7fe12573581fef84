import { HookFailedError } from '../../errors.ts';
import type { RemoteCost, RemoteFiles, RemoteResult } from '../../hook/remote-run.ts';
import { explainResultSize, resultBytes } from '../../hook/result-wire.ts';
import type { Execution, FailedExecution, RunCost } from '../../runner/executor.ts';

type Failed = Extract<RemoteResult, { readonly type: 'failed' }>;

/** The failure of a run that was not executed, or whose result cannot be sent. */
export function failure(by: Failed['by'], message: string, more: Partial<Failed> = {}): Failed {
  return { type: 'failed', by, message, timedOut: false, isPermanent: false, isCutOff: false, ...more };
}

/** What the executor says of a run, as it is sent. */
export function resultOf(hook: string, execution: Execution): RemoteResult {
  const result = execution.type === 'exited' ? exitedResult(execution) : failedResult(execution);
  const tooLarge = 'files' in result && result.files ? explainResultSize(resultBytes(result.files)) : undefined;
  if (tooLarge === undefined) return result;
  const message = `hook ${hook}: its output cannot be sent: ${tooLarge}`;
  // A hook that failed has failed by itself; what it wrote is left out.
  if (result.type !== 'failed') return failure('output', message, costOf(execution.cost));
  const { files: _, ...rest } = result;
  return { ...rest, message: `${result.message}\n${message}` };
}

function exitedResult({
  cost,
  outputs,
  isLater = false,
}: Extract<Execution, { readonly type: 'exited' }>): RemoteResult {
  return { type: 'exited', cost: plainCost(cost), isLater, files: outputs };
}

function failedResult({ by, error, cost, outputs, isPermanent, isCutOff }: FailedExecution): Failed {
  const ending = error instanceof HookFailedError ? error.ending : undefined;
  const files: RemoteFiles | undefined = outputs && { ...outputs, admission: '', conversion: '' };
  return failure(by, error.message, {
    timedOut: ending?.timedOut === true,
    isPermanent: isPermanent === true,
    isCutOff: isCutOff === true,
    ...(ending?.exitCode !== undefined && { exitCode: ending.exitCode }),
    ...(ending?.signal !== undefined && { signal: ending.signal }),
    ...costOf(cost),
    ...(files && { files }),
  });
}

function costOf(cost: RunCost | undefined): { readonly cost?: RemoteCost } {
  return cost === undefined ? {} : { cost: plainCost(cost) };
}

function plainCost({ durationMs, usage }: RunCost): RemoteCost {
  return { durationMs, ...usage };
}
