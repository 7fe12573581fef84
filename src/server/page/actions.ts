import { UsageError } from '../../errors.ts';
import { present } from '../../hook/config-reader.ts';
import type { PauseTarget } from '../../hook/pause-control.ts';
import type { PageRight } from './access.ts';
import { ofLetters } from './letter-actions.ts';
import type { PageModel } from './model.ts';
import { OBJECT, oneOf, TEXT, type ViewParameters } from './parameters.ts';

import type { ViewContext } from './view.ts';
import type { GroupSource } from './views/failure-groups.ts';
import { targetText } from './views/pauses.ts';

/** What a person is about to do. */
export interface Action {
  /** The question without its mark: `Retry 12 dead letters of hook a.sh`. */
  readonly words: string;
  /** Tells what it is done to from anything else, where that is no single thing: it may be other things meanwhile. */
  readonly expected?: string;
  /** The first of these things, for those who may list them. */
  readonly touched?: readonly string[];
  /** The fields that describe it, for the form. */
  readonly fields: Readonly<Record<string, string>>;
  /** The page to go back to. */
  readonly back: string;
  /** Does it; resolves to what was done, for the person. */
  readonly carryOut: () => Promise<string>;
}

export type Given = ViewContext['given'];

/** What an action is done to, as its user may know it. */
export interface ActionSource extends GroupSource {
  /** Whether the user may list runs and what was given up. */
  readonly mayList: boolean;
}

/** What describes an action, in a URL or a form. */
export const ACTION_PARAMETERS: ViewParameters = {
  do: oneOf(['retry', 'drop', 'pause', 'resume', 'trigger', 'suspend', 'unsuspend']),
  id: TEXT,
  hook: TEXT,
  reason: TEXT,
  object: OBJECT,
  queue: TEXT,
  kind: TEXT,
  namespace: TEXT,
  name: TEXT,
  binding: TEXT,
  group: TEXT,
};

/**
 * The right that the action of these parameters needs. It is decided by them alone, so that nobody learns from a refusal
 * what is there. Throws `UsageError` where they describe no action.
 */
export function rightOf(given: Given): PageRight {
  const action = given('do');
  switch (action) {
    case 'retry':
    case 'drop':
      return { verb: action, resource: 'runs' };
    case 'pause':
    case 'resume':
      return pauseRight(action, targetOf(given));
    case 'trigger':
    case 'suspend':
    case 'unsuspend':
      return { verb: SCHEDULE_VERBS[action], resource: 'hooks', name: given('hook') ?? '' };
    case undefined:
    default:
      throw new UsageError('there is no such action');
  }
}

function pauseRight(verb: 'pause' | 'resume', target: PauseTarget): PageRight {
  if (target.type === 'queue') return { verb, resource: 'queues', name: target.queue };
  return { verb, resource: 'hooks', ...present({ name: target.hook }) };
}

/** The action that parameters describe; rejects with `UsageError` where they describe none. */
export async function actionOf(given: Given, source: ActionSource): Promise<Action> {
  const { model } = source;
  const fields = Object.fromEntries(
    Object.keys(ACTION_PARAMETERS).flatMap((name) => (given(name) === undefined ? [] : [[name, given(name) ?? '']])),
  );
  const action = given('do');
  switch (action) {
    case 'retry':
    case 'drop':
      return { fields, ...(await ofLetters(action, given, source)) };
    case 'pause':
    case 'resume':
      return { fields, ...ofPause(action, targetOf(given), model) };
    case 'trigger':
    case 'suspend':
    case 'unsuspend':
      return { fields, ...ofSchedule(action, given, model) };
    case undefined:
    default:
      throw new UsageError('there is no such action');
  }
}

/** An action without the fields that describe it. */
export type Doing = Omit<Action, 'fields'>;

function ofPause(action: 'pause' | 'resume', target: PauseTarget, { pauses }: PageModel): Doing {
  const what = targetText(target);
  return {
    words: `${action === 'pause' ? 'Pause' : 'Resume'} ${what}`,
    back: '/pauses',
    carryOut: async () => {
      if (action === 'resume') return `Resumed ${what}; ${await pauses.resume(target)} runs were released.`;
      return `Paused ${what}${(await pauses.pause(target)) ? '' : ', until the operator starts again'}.`;
    },
  };
}

function targetOf(given: Given): PauseTarget {
  const [hook, queue, name] = [given('hook'), given('queue'), given('name')];
  if (name !== undefined && queue === undefined) {
    return { type: 'object', namespace: given('namespace') ?? '', name, ...present({ kind: given('kind'), hook }) };
  }
  if (queue !== undefined && hook === undefined && name === undefined) return { type: 'queue', queue };
  if (hook !== undefined && queue === undefined) return { type: 'hook', hook };
  throw new UsageError('say one of: a hook, a queue, or an object, which may be one of a hook');
}

const SCHEDULE_VERBS = { trigger: 'trigger', suspend: 'pause', unsuspend: 'resume' } as const;
const SCHEDULE_WORDS = { trigger: 'Run now', suspend: 'Suspend', unsuspend: 'Resume' } as const;

function ofSchedule(action: keyof typeof SCHEDULE_VERBS, given: Given, { schedules }: PageModel): Doing {
  const [hook = '', binding = ''] = [given('hook'), given('binding')];
  if (!schedules.list().some((one) => one.hook === hook && one.binding === binding)) {
    throw new UsageError(`no schedule ${JSON.stringify(binding)} of hook ${JSON.stringify(hook)}`);
  }
  return {
    words: `${SCHEDULE_WORDS[action]}: schedule ${binding} of ${hook}`,
    back: '/schedules',
    carryOut: async () => {
      if (action === 'trigger') return `Runs now as ${await schedules.trigger(hook, binding)}.`;
      await (action === 'suspend' ? schedules.suspend(hook, binding) : schedules.resume(hook, binding));
      return action === 'suspend' ? 'Suspended.' : 'Resumed.';
    },
  };
}
