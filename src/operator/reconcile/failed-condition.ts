import { HookFailedError, summaryOf } from '../../errors.ts';
import type { Condition, ContextResult } from '../../hook/result.ts';
import { asJsonObject, parseJson, text } from '../../kube/object.ts';
import type { FailedRun } from '../../run/run.ts';
import { refusalToken } from '../results/told-record.ts';
import type { JsonObject } from '../../lib/json-object.ts';

const MAX_MESSAGE = 1024;
const FAILED = 'the hook failed: ';
const GAVE_UP = 'the hook gave up: ';

/** What a hook said of its failure, and how its run ended where the run failed as a whole. */
export interface FailedAnswer {
  readonly said?: Pick<ContextResult, 'reason' | 'message'> | undefined;
  readonly run?: Pick<FailedRun, 'by' | 'error'>;
  readonly isPermanent: boolean;
}

/** The condition `Ready` of an object whose hook failed; it has nothing that the hook printed. */
export function failedCondition({ said = {}, run, isPermanent }: FailedAnswer): Condition {
  const reason = said.reason ?? (isPermanent ? 'HookGaveUp' : 'HookFailed');
  const why = said.message ?? (run === undefined ? 'it gave no message' : summaryOfRun(run));
  const message = `${isPermanent ? GAVE_UP : FAILED}${why}`.slice(0, MAX_MESSAGE);
  return { type: 'Ready', status: 'False', reason, message };
}

/**
 * The condition that takes back a `failedCondition`, or that of a refusal which `told` knows; undefined where the object,
 * as JSON, has neither.
 */
export function succeededCondition(
  object: Uint8Array | undefined,
  told: () => readonly string[] = () => [],
): Condition | undefined {
  if (object === undefined) return undefined;
  const { conditions } = asJsonObject(asJsonObject(parseJson(object))['status']);
  const ready = (Array.isArray(conditions) ? conditions : []).map(asJsonObject).find(({ type }) => type === 'Ready');
  if (ready?.['status'] !== 'False') return undefined;
  if (!isOfFailure(ready) && !isOfRefusal(ready, told())) return undefined;
  return { type: 'Ready', status: 'True', reason: 'HookSucceeded', message: 'the hook succeeded' };
}

function isOfFailure({ message }: JsonObject): boolean {
  return text(message).startsWith(FAILED) || text(message).startsWith(GAVE_UP);
}

function isOfRefusal({ reason, observedGeneration }: JsonObject, told: readonly string[]): boolean {
  const generation = typeof observedGeneration === 'number' ? observedGeneration : undefined;
  return told.includes(refusalToken(text(reason), generation));
}

function summaryOfRun({ by, error }: Pick<FailedRun, 'by' | 'error'>): string {
  if (by === 'output') return 'what it wrote cannot be used; see the log';
  if (by === 'patch') return 'the API server refused what it asked for; see the log';
  return error instanceof HookFailedError ? summaryOf(error) : 'see the log';
}
