import { isObject, type JsonObject } from '../lib/json-object.ts';
import type { Binding } from './binding.ts';
import { isAskBinding } from './ask-binding.ts';
import { isJobField, readJobRule } from './config-job.ts';
import { readFields, readText, report, reportValue, type Place, type Read } from './config-reader.ts';
import { DEFAULT_POOL, isPoolName, POOL_TEXT, type ExecutorRule, type WorkersRule } from './executor-rule.ts';

/** What `settings.executor` may be, for messages. */
export const EXECUTOR_TEXT = 'job, workers, or a mapping with one of them';

/** `settings.executor`: absent, a hook runs in the Pod of the operator. */
export const readExecutor: Read<ExecutorRule> = (value, place) => {
  if (value === 'job') return readJobRule({}, place);
  if (value === 'workers') return readWorkersRule({}, place);
  if (!isObject(value) || Object.keys(value).length === 0) return reportValue(place, value, EXECUTOR_TEXT);
  const rest = withoutMisplaced(value, place);
  const { job, workers } = readExecutorFields(rest, place);
  if (job !== undefined && workers !== undefined) return report(place, 'got job and workers, expected one of them');
  return job ?? workers;
};

const readPool: Read<string> = (value, place) => {
  const name = readText(value, place);
  return name === undefined || isPoolName(name) ? name : reportValue(place, value, POOL_TEXT);
};
const WORKERS_SHAPE = { pool: readPool } as const;
const readWorkersFields = readFields(WORKERS_SHAPE);

const readWorkersRule: Read<WorkersRule> = (value, place) => {
  const { pool = DEFAULT_POOL } = readWorkersFields(value, place);
  return { type: 'workers', pool };
};

const readExecutorFields = readFields({ job: readJobRule, workers: readWorkersRule });

/** The mapping without fields that belong below `job` or `workers`, which are reported. */
function withoutMisplaced(value: JsonObject, place: Place): JsonObject {
  const keys = Object.keys(value);
  const ofJob = keys.filter(isJobField);
  const ofWorkers = keys.filter((key) => Object.hasOwn(WORKERS_SHAPE, key));
  if (ofJob.length > 0) report(place, `put ${ofJob.join(', ')} under executor.job`);
  if (ofWorkers.length > 0) report(place, `put ${ofWorkers.join(', ')} under executor.workers`);
  const misplaced = new Set([...ofJob, ...ofWorkers]);
  return Object.fromEntries(Object.entries(value).filter(([key]) => !misplaced.has(key)));
}

/**
 * Reports what cannot run in another Pod: a caller of a webhook waits for seconds only, and a lock would end with the
 * operator, while the hook goes on.
 */
export function checkExecutor(executor: ExecutorRule | undefined, bindings: readonly Binding[], place: Place): void {
  if (executor === undefined) return;
  const what = executor.type === 'job' ? 'a Job' : 'a worker';
  const asked = bindings.find(isAskBinding);
  if (asked !== undefined) {
    report(place, `${what} cannot answer ${asked.type}, whose caller waits for seconds: divide the hook in two`);
  }
  const lock = bindings
    .map((binding) => ('lock' in binding ? binding.lock : undefined))
    .find((one) => one !== undefined);
  if (lock === undefined) return;
  const advice = `take it where the work is, with: hooklet lock ${lock.name} -- COMMAND`;
  report(
    place,
    `${what} cannot hold the lock ${lock.name}, which would end with the operator while the hook goes on: ${advice}`,
  );
}
