import { isLeaseName, isNamespaceName, NAMESPACE_TEXT } from '../lib/lease-name.ts';
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
  type Read,
} from './config-reader.ts';
import { readResources } from './config-resources.ts';
import type { JobRule } from './job-rule.ts';

const DEFAULT_START_TIMEOUT_MS = 120_000;
const DEFAULT_KEEP_FAILED_MS = 3_600_000;
const ACCOUNT_TEXT = 'the name of a ServiceAccount: at most 253 small letters, digits, "-" and "."';

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

/** Whether a key is that of a field of `executor.job`. */
export function isJobField(key: string): boolean {
  return Object.hasOwn(JOB_SHAPE, key);
}

/** `settings.executor.job`: what the Pod of each run is to be. */
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
