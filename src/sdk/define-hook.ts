import type { Bindings } from './bindings.ts';
import { type HookConfig, type HookSettings, toConfig } from './config.ts';
import type { Context, Snapshots } from './context.ts';
import { isCalledFromMainScript, runAsProgram } from './main-script.ts';
import { Metric } from './metric.ts';
import { Patch } from './patch.ts';
import { readContexts, readSnapshots } from './wire-context.ts';

const MARK = Symbol.for('hooklet.definition');

/** What a hook is called with. */
export interface HookRun<B extends Bindings> {
  /** Everything that happened since the last run; never empty, often more than one. */
  readonly contexts: readonly Context<B>[];
  readonly snapshots: Snapshots<B>;
  readonly patch: Patch;
  readonly metric: Metric;
  readonly log: HookLog;
  /** Aborts when the time limit of the run is over or the operator stops. */
  readonly signal: AbortSignal;
}

export interface HookSource<B extends Bindings> {
  readonly bindings: B;
  readonly settings?: HookSettings;
  /** Called once a run; what it throws makes the run fail, and it is repeated. */
  run(run: HookRun<B>): void | Promise<void>;
}

/** Writes to the log of the operator. */
export interface HookLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** What runs a definition gives it: the way to the log and the end of its time. */
export interface HookHost {
  readonly log: HookLog;
  readonly signal: AbortSignal;
}

/** What a run asked for, in the formats of the patch and metrics files. */
export interface DefinitionResult {
  readonly patch: string;
  readonly metrics: string;
  /** What the function threw. */
  readonly error?: unknown;
}

/** What the operator needs of a definition, whatever its bindings. */
export interface RunnableHook {
  readonly [MARK]: true;
  readonly config: HookConfig;
  /** Runs it on binding contexts as the operator sends them; never rejects. */
  execute(contexts: unknown, host: HookHost): Promise<DefinitionResult>;
}

/** A hook as `export default` of its module. */
export interface HookDefinition<B extends Bindings> extends RunnableHook {
  /** The function as written, for tests of the hook. */
  readonly run: HookSource<B>['run'];
}

/**
 * Defines a hook: what it is bound to, and what it does. The module exports it as default and is kept loaded by the
 * operator; made executable, with `#!/usr/bin/env node` as its first line, the same file is an ordinary hook.
 */
export function defineHook<const B extends Bindings>(source: HookSource<B>): HookDefinition<B> {
  const { bindings, settings } = source;
  const definition: HookDefinition<B> = {
    [MARK]: true,
    config: toConfig(bindings, settings),
    run: (run) => source.run(run),
    execute: async (wire, host) => {
      const patch = new Patch();
      const metric = new Metric();
      const failure = await attempt(async () => {
        const contexts = readContexts(bindings, wire);
        await source.run({ contexts, snapshots: readSnapshots(bindings, wire), patch, metric, ...host });
      });
      return { patch: patch.toString(), metrics: metric.toString(), ...failure };
    },
  };
  if (isCalledFromMainScript()) runAsProgram(definition);
  return definition;
}

async function attempt(work: () => Promise<void>): Promise<{ readonly error?: unknown }> {
  try {
    await work();
    return {};
  } catch (error) {
    return { error: error ?? new Error('the hook threw nothing') };
  }
}

/** Whether a module exports a hook as its default. */
export function isHookDefinition(value: unknown): value is RunnableHook {
  return typeof value === 'object' && value !== null && MARK in value;
}
