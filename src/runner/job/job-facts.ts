import type { OutcomeCodes } from '../../hook/binding.ts';
import type { JobClaim } from '../../hook/job-desk.ts';
import type { JobRule } from '../../hook/job-rule.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import type { ExecuteRequest } from '../executor.ts';
import { readCount, readFields, readList, readOneOf, readOptional, readText } from '../wire-reader.ts';

/** The labels of a Job and of its Pod. */
export const JOB_LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  installation: 'hooklet.dev/installation',
  hook: 'hooklet.dev/hook',
} as const;

/** The annotations of a Job, in which another leader finds all that it needs to carry the run on. */
export const JOB_ANNOTATIONS = {
  /** The facts of the run, as JSON. */
  run: 'hooklet.dev/run',
  /** The uid of the Pod that has the run; empty until one has. */
  claimedBy: 'hooklet.dev/claimed-by',
  /** Of the last claim that was granted; 0 until there was one. */
  epoch: 'hooklet.dev/epoch',
  claimedAt: 'hooklet.dev/claimed-at',
  /** What nobody else could write of the grant, for namespaces where others may make Jobs. */
  seal: 'hooklet.dev/seal',
  /** Set when the outcome of a failed run was recorded, and its Job is kept for its log. */
  concluded: 'hooklet.dev/concluded',
} as const;

/** What is known of a run when its Job is created, whoever leads later. */
export interface JobFacts extends Pick<
  JobClaim,
  | 'runId'
  | 'attempt'
  | 'hook'
  | 'hookHash'
  | 'type'
  | 'timeoutMs'
  | 'outcome'
  | 'plainExitCodes'
  | 'backgroundLimitMs'
  | 'traceparent'
> {
  /** Of `ExecuteRequest`. */
  readonly ticks?: readonly string[];
  readonly agent: JobRule['agent'];
  readonly startTimeoutMs: number;
  readonly keepFailedMs: number;
}

/** What a request does not say of its run. */
export interface RequestSetting {
  readonly rule: JobRule;
  readonly hookHash: string;
  readonly plainExitCodes: boolean;
  readonly backgroundLimitMs?: number | undefined;
}

/** The facts of a run that is requested. */
export function factsOfRequest(
  { hook, runId, attempt = 1, ticks, traceparent }: ExecuteRequest,
  { rule, hookHash, plainExitCodes, backgroundLimitMs }: RequestSetting,
): JobFacts {
  const { timeoutMs, outcome } = hook.settings;
  const { agent, startTimeoutMs, keepFailedMs } = rule;
  return {
    runId,
    attempt,
    hook: hook.name,
    hookHash,
    type: hook.type,
    plainExitCodes,
    agent,
    startTimeoutMs,
    keepFailedMs,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(backgroundLimitMs !== undefined && { backgroundLimitMs }),
    ...(outcome !== undefined && { outcome }),
    ...(traceparent !== undefined && { traceparent }),
    ...(ticks !== undefined && { ticks }),
  };
}

/** More would not fit into an annotation. */
const MAX_TICKS = 1000;

/** The text of the annotation. */
export function writeFacts({ ticks, ...facts }: JobFacts): string {
  return JSON.stringify({ ...facts, ...(ticks !== undefined && ticks.length <= MAX_TICKS && { ticks }) });
}

/** Reads the annotation; undefined for one that hooklet did not write. */
export function readFacts(json: string): JobFacts | undefined {
  try {
    return factsOf(readFields(JSON.parse(json)));
  } catch {
    return undefined;
  }
}

function factsOf(fields: JsonObject): JobFacts {
  const timeoutMs = readOptional(fields, 'timeoutMs', readCount);
  const backgroundLimitMs = readOptional(fields, 'backgroundLimitMs', readCount);
  const traceparent = readOptional(fields, 'traceparent', readText);
  const ticks = readOptional(fields, 'ticks', (all, name) => readList(all, name, String));
  const outcome = readOptional(fields, 'outcome', readCodes);
  return {
    runId: readText(fields, 'runId'),
    attempt: readCount(fields, 'attempt'),
    hook: readText(fields, 'hook'),
    hookHash: readText(fields, 'hookHash'),
    type: readOneOf(fields, 'type', ['process', 'warm'] as const),
    plainExitCodes: fields['plainExitCodes'] === true,
    agent: readOneOf(fields, 'agent', ['image', 'sidecar'] as const),
    startTimeoutMs: readCount(fields, 'startTimeoutMs'),
    keepFailedMs: readCount(fields, 'keepFailedMs'),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(backgroundLimitMs !== undefined && { backgroundLimitMs }),
    ...(traceparent !== undefined && { traceparent }),
    ...(ticks !== undefined && { ticks }),
    ...(outcome !== undefined && { outcome }),
  };
}

function readCodes(fields: JsonObject, name: string): OutcomeCodes {
  const lists = fields[name];
  if (!isObject(lists)) return {};
  const codes = (list: string) => readOptional(lists, list, (all, key) => readList(all, key, Number));
  const [success, later, permanent] = ['success', 'later', 'permanent'].map(codes);
  return { ...(success && { success }), ...(later && { later }), ...(permanent && { permanent }) };
}
