import type { JsonObject } from '@hooklet/sandbox';
import { ScenarioError } from '../../src/errors.ts';
import type { LogLine, Moment, RunEnded, RunStarted, Write } from '../../src/scenario/timeline.ts';
import type { Acted, Action, Given, World, Worlds } from '../../src/scenario/world.ts';

type Happening = Moment extends infer M ? (M extends Moment ? Omit<M, 'atMs' | 'step'> : never) : never;

/** What happens in a scripted world when an action is made, or at its start. */
export interface Script {
  readonly start?: readonly Happening[];
  readonly on?: (action: Action, index: number) => readonly Happening[];
  readonly objects?: readonly JsonObject[];
  readonly metrics?: string;
  readonly answer?: Acted['answer'];
  /** The message with which the world does not open. */
  readonly broken?: string;
}

export interface ScriptedWorlds extends Worlds {
  /** What was done in them. */
  readonly acted: readonly Action[];
  /** How many are open. */
  readonly count: () => number;
}

/** Worlds in which happens what a script says. */
export function scriptedWorlds(script: Script): ScriptedWorlds {
  const acted: Action[] = [];
  let open = 0;
  return {
    acted,
    count: () => open,
    async open(given: Given): Promise<World> {
      if (script.broken !== undefined) throw new ScenarioError(script.broken);
      open += 1;
      return world(given);
    },
    async [Symbol.asyncDispose]() {},
  };

  function world(given: Given): World {
    const timeline: Moment[] = [];
    let step = 0;
    const add = (happenings: readonly Happening[]): void => {
      for (const one of happenings) timeline.push({ atMs: given.startMs, step, ...one });
    };
    add(script.start ?? []);
    return {
      timeline,
      nowMs: given.startMs,
      async act(action) {
        const from = timeline.length;
        acted.push(action);
        step += 1;
        add(script.on?.(action, step - 1) ?? []);
        return { from, to: timeline.length, ...(script.answer && { answer: script.answer }) };
      },
      objects: async () => script.objects ?? [],
      metrics: async () => script.metrics ?? '',
      async [Symbol.asyncDispose]() {
        open -= 1;
      },
    };
  }
}

let runs = 0;

/** The moments of one run. */
export function run(
  hook: string,
  ended: Partial<RunEnded> = {},
  started: Partial<RunStarted> = {},
): readonly Happening[] {
  const id = `run-${(runs += 1)}`;
  return [
    { type: 'run-started', run: id, hook, queue: 'main', attempt: 1, contexts: [], ...started },
    { type: 'run-ended', run: id, hook, outcome: 'succeeded', exitCode: 0, next: 'done', output: [], ...ended },
  ];
}

/** A write of a hook that changed a Secret. */
export function write(name: string, fields: Partial<Write> = {}): Happening {
  const object = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name };
  const whole: Write = {
    type: 'write',
    by: 'hooklet',
    verb: 'apply',
    object,
    code: 200,
    isChange: true,
    hasPrecondition: false,
    ...fields,
  };
  return whole;
}

export function logged(message: string, fields: JsonObject = {}): Happening {
  const line: LogLine = { type: 'log', level: 'info', message, fields };
  return line;
}
