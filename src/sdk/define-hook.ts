import { AdmissionAnswer } from './admission.ts';
import type { Bindings } from './bindings.ts';
import { answerConversion, type ConversionDeclaration } from './conversion.ts';
import { type HookConfig, type HookSettings, toConfig } from './config.ts';
import type { Context, Snapshots } from './context.ts';
import { thrownEnding, type ThrownEnding } from './ending.ts';
import { isCalledFromMainScript, runAsProgram } from './main-script.ts';
import { Metric } from './metric.ts';
import { Patch } from './patch.ts';
import { RunResult } from './result.ts';
import { readContexts, readSnapshots } from './wire-context.ts';

/** The key by which a definition is known. */
export const MARK = Symbol.for('hooklet.definition');

/** The argument of a hook's `run` function. */
export interface HookRun<B extends Bindings> {
  /** Everything that triggered this run; never empty, often more than one. */
  readonly contexts: readonly Context<B>[];
  readonly snapshots: Snapshots<B>;
  readonly patch: Patch;
  readonly metric: Metric;
  /** Answers the request of a `validating` or `mutating` binding. */
  readonly answer: AdmissionAnswer;
  /** Says how the run ended, and what the status of the object should be. */
  readonly result: RunResult;
  readonly log: HookLog;
  /** Aborts when the run exceeds its time limit or the operator stops. */
  readonly signal: AbortSignal;
  /** The id of this run; empty where no operator runs the hook. */
  readonly runId: string;
  /** The span of this run, as in the header of that name; undefined without traces. */
  readonly traceparent?: string;
}

export interface HookSource<B extends Bindings> {
  readonly bindings: B;
  readonly settings?: HookSettings;
  /**
   * Called once for each run. If it throws or rejects, the run has failed and is retried; a `Later` is no failure, and a
   * `Permanent` is not retried.
   */
  run(run: HookRun<B>): void | Promise<void>;
}

/** A hook that does nothing but convert needs no `run`. */
export interface ConversionSource<B extends Readonly<Record<string, ConversionDeclaration>>> {
  readonly bindings: B;
  readonly settings?: HookSettings;
  run?(run: HookRun<B>): void | Promise<void>;
}

/** Writes to the log of the operator. */
export interface HookLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** What the process that runs a definition provides. */
export interface HookHost {
  readonly log: HookLog;
  readonly signal: AbortSignal;
  readonly runId?: string;
  readonly traceparent?: string;
}

/** What a run asked and said, in the formats of the patch, metrics and result files. */
export interface DefinitionResult {
  readonly patch: string;
  readonly metrics: string;
  readonly result: string;
  /** The response to an admission request; absent when there is none. */
  readonly admission?: string;
  /** The response to a conversion; absent when there is none. */
  readonly conversion?: string;
  /** `run` threw a `Later` or a `Permanent`; the result says so too. */
  readonly outcome?: 'later' | 'permanent';
  /** Anything else that `run` threw. */
  readonly error?: unknown;
}

/** The part of a definition that the operator uses, independent of the types of its bindings. */
export interface RunnableHook {
  readonly [MARK]: true;
  readonly config: HookConfig;
  /** Runs the hook on parsed binding contexts; never rejects. */
  execute(contexts: unknown, host: HookHost): Promise<DefinitionResult>;
}

/** The value that a hook's module exports as default. */
export interface HookDefinition<B extends Bindings> extends RunnableHook {
  /** The function of the author, for tests of the hook. */
  readonly run: HookSource<B>['run'];
}

/**
 * Defines a hook: its bindings, and the function that they trigger. The module exports it as default, and the operator
 * keeps the module loaded. Made executable, with `#!/usr/bin/env node` as its first line, the same file is a process
 * hook.
 */
export function defineHook<const B extends Readonly<Record<string, ConversionDeclaration>>>(
  source: ConversionSource<B>,
): HookDefinition<B>;
export function defineHook<const B extends Bindings>(source: HookSource<B>): HookDefinition<B>;
export function defineHook<const B extends Bindings>(
  source: Omit<HookSource<B>, 'run'> & Partial<HookSource<B>>,
): HookDefinition<B> {
  const { bindings, settings } = source;
  const definition: HookDefinition<B> = {
    [MARK]: true,
    config: toConfig(bindings, settings),
    run: (run) => source.run?.(run),
    execute: async (wire, host) => {
      const patch = new Patch();
      const metric = new Metric();
      let contexts: readonly Context<B>[] = [];
      const result = new RunResult(() => contexts);
      const answer = new AdmissionAnswer(() => contexts.some(isAdmission));
      let converted: string | undefined;
      const { thrown, ...ending } = await attempt(async () => {
        const conversion = answerConversion(bindings, wire);
        // Without a wait for any other run: its function sees the signal from the beginning.
        if (conversion !== undefined) {
          converted = await conversion;
          return;
        }
        contexts = readContexts(bindings, wire);
        const snapshots = readSnapshots(bindings, wire);
        await source.run?.({ contexts, snapshots, patch, metric, answer, result, runId: '', ...host });
      });
      const admission = answer.toString();
      return {
        patch: patch.toString(),
        metrics: metric.toString(),
        result: result.textWith(thrown),
        ...(admission !== '' && { admission }),
        ...(converted !== undefined && { conversion: converted }),
        ...ending,
      };
    },
  };
  if (isCalledFromMainScript()) runAsProgram(definition);
  return definition;
}

function isAdmission({ type }: { readonly type: string }): boolean {
  return type === 'Validating' || type === 'Mutating';
}

/** How the function of an author ended. */
export interface Attempted extends Pick<DefinitionResult, 'error' | 'outcome'> {
  readonly thrown?: ThrownEnding;
}

/** Runs the function of an author; never rejects. */
export async function attempt(work: () => Promise<void>): Promise<Attempted> {
  try {
    await work();
    return {};
  } catch (error) {
    const thrown = thrownEnding(error);
    if (thrown !== undefined) return { thrown, outcome: thrown.outcome };
    return { error: error ?? new Error('the hook threw nothing') };
  }
}

/** Whether a module exports a hook as its default. */
export function isHookDefinition(value: unknown): value is RunnableHook {
  return typeof value === 'object' && value !== null && MARK in value;
}
