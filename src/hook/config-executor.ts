import { isLeaseName, isNamespaceName, NAMESPACE_TEXT } from '../lib/lease-name.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';
import type { Binding } from './binding.ts';
import { isAskBinding } from './ask-binding.ts';
import { readDuration } from './config-duration.ts';
import { readAnnotations, readLabels } from './config-labels.ts';
import { checkCommands, readTemplate } from './config-pod-template.ts';
import {
  inside,
  present,
  readFields,
  readFlag,
  readList,
  readText,
  readWord,
  report,
  reportValue,
  type Place,
  type Read,
} from './config-reader.ts';
import { readResources } from './config-resources.ts';
import { DEFAULT_POOL, isPoolName, POOL_TEXT, type ExecutorRule, type WorkersRule } from './executor-rule.ts';
import type { JobRule } from './job-rule.ts';

const DEFAULT_START_TIMEOUT_MS = 120_000;
const DEFAULT_KEEP_FAILED_MS = 3_600_000;
const ACCOUNT_TEXT = 'the name of a ServiceAccount: at most 253 small letters, digits, "-" and "."';
const WORDS = 'job, workers, or a mapping with one of them';

const readImage: Read<string> = (value, place) =>
  typeof value === 'string' && /^[^\s]{1,1024}$/.test(value)
    ? value
    : reportValue(place, value, 'the name of an image');

const readNamespace: Read<string> = (value, place) => {
  const name = readText(value, place);
  return name === undefined || isNamespaceName(name) ? name : reportValue(place, value, NAMESPACE_TEXT);
};

const readAccount: Read<string> = (value, place) => {
  const name = readText(value, place);
  return name === undefined || isLeaseName(name) ? name : reportValue(place, value, ACCOUNT_TEXT);
};

const readStartTimeout: Read<number> = (value, place) => {
  const timeoutMs = readDuration(value, place);
  return timeoutMs === 0 ? reportValue(place, value, 'a duration above 0 such as "2m"') : timeoutMs;
};

const JOB_SHAPE = {
  image: readImage,
  agent: readWord({ image: 'image', sidecar: 'sidecar' } as const),
  command: readList(readText, 1),
  args: readList(readText),
  namespace: readNamespace,
  serviceAccountName: readAccount,
  resources: readResources,
  template: readTemplate,
  labels: readLabels,
  annotations: readAnnotations,
  suspend: readFlag,
  startTimeout: readStartTimeout,
  keepFailed: readDuration,
} as const;
const readJobFields = readFields(JOB_SHAPE);

/** What runs a hook as a Job: `job` alone, or a mapping with what its Pod is to be. */
export const readJobRule: Read<JobRule> = (value, place) => {
  const { suspend, startTimeout, keepFailed, agent = 'image', ...rest } = readJobFields(value, place);
  if (agent === 'sidecar' && rest.image === undefined)
    report(inside(place, 'image'), 'missing, expected the image whose program is the hook, as agent is sidecar');
  for (const field of ['command', 'args'] as const) {
    if (agent === 'image' && rest[field] !== undefined)
      report(
        inside(place, field),
        'it has no effect, since hooklet starts the hook in its image; with agent: sidecar it is what the image runs',
      );
  }
  checkCommands(rest.template, agent, inside(place, 'template'));
  return {
    type: 'job',
    agent,
    ...present(rest),
    isSuspended: suspend === true,
    startTimeoutMs: startTimeout ?? DEFAULT_START_TIMEOUT_MS,
    keepFailedMs: keepFailed ?? DEFAULT_KEEP_FAILED_MS,
  };
};

const readPool: Read<string> = (value, place) => {
  const name = readText(value, place);
  return name === undefined || isPoolName(name) ? name : reportValue(place, value, POOL_TEXT);
};
const readWorkersFields = readFields({ pool: readPool });

/** Which workers run a hook: `workers` alone, or a mapping with their pool. */
const readWorkersRule: Read<WorkersRule> = (value, place) => {
  const { pool = DEFAULT_POOL } = readWorkersFields(value, place);
  return { type: 'workers', pool };
};

const readExecutorFields = readFields({ job: readJobRule, workers: readWorkersRule });

/** `settings.executor`: absent, a hook runs in the Pod of the operator. */
export const readExecutor: Read<ExecutorRule> = (value, place) => {
  if (value === 'job') return readJobRule({}, place);
  if (value === 'workers') return readWorkersRule({}, place);
  if (typeof value === 'string') return reportValue(place, value, WORDS);
  const [job, misplaced] = isObject(value) ? apart(value) : [value, []];
  if (misplaced.length > 0) {
    report(place, `put ${misplaced.join(', ')} under executor.job`);
    if (isObject(job) && Object.keys(job).length === 0) return undefined;
  }
  const rules = readExecutorFields(job, place);
  if (rules.job !== undefined && rules.workers !== undefined)
    return report(place, 'got job and workers, expected one of them');
  return rules.job ?? rules.workers ?? reportValue(place, value, WORDS);
};

/** What was said beside `job`, and which of its fields are those of a Job. */
function apart(value: JsonObject): readonly [JsonObject, readonly string[]] {
  const misplaced = Object.keys(value).filter((key) => Object.hasOwn(JOB_SHAPE, key));
  return [Object.fromEntries(Object.entries(value).filter(([key]) => !misplaced.includes(key))), misplaced];
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
