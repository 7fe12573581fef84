/*
 * Runs hooks as Jobs. `execute` creates the Job of a run, and returns its end as that of any run; Pods come to `desk`,
 * which the server puts in front of the network. A replica begins with `run` when it leads: first it takes over, or
 * deletes, what an earlier leader has left, and executions wait for that. The composition calls `concluded` when the
 * outcome of a run was recorded; only then its Pod may end, and its Job goes. What must hold: it retries nothing, since
 * retries belong to the queue alone; `execute` never rejects; and a run has ended only when its hook can run no more.
 */

import type { JobDesk } from '../../hook/job-desk.ts';
import { jobRuleOf } from '../../hook/executor-rule.ts';
import type { JobRule } from '../../hook/job-rule.ts';
import { abortable } from '../../lib/abortable.ts';
import { latch } from '../../lib/latch.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Execution, ExecuteRequest } from '../executor.ts';
import { stopText } from '../failure.ts';
import { notRun } from '../remote-result.ts';
import { createHookHash } from './hook-hash.ts';
import { JobDeletions } from './job-deletions.ts';
import { executionOf } from './job-execution.ts';
import { factsOfRequest } from './job-facts.ts';
import { JobNamespaces } from './job-namespaces.ts';
import { jobName, jobObject } from './job-object.ts';
import type { JobExecutorOptions } from './job-options.ts';
import { JobOrphans, type OrphanParts } from './job-orphans.ts';
import { LiveRun } from './live-run.ts';
import { LiveRuns } from './live-runs.ts';
import { openDesk } from './open-desk.ts';
import { RunEndings } from './run-endings.ts';
import { startJob } from './start-job.ts';
import { StartPace } from './start-pace.ts';
import { StartSlots } from './start-slots.ts';
import { untilNoStrays } from './stray-pods.ts';
import { supervise } from './supervise.ts';

/** Before `run`, while this replica leads, and after. */
type Leadership = { readonly type: 'before' | 'over' } | { readonly type: 'leads'; readonly signal: AbortSignal };

/** Executes the runs of hooks with `executor: job`; see above. */
export class JobExecutor {
  /** Answers what Pods ask. */
  readonly desk: JobDesk;
  readonly #options: JobExecutorOptions;
  readonly #parts: OrphanParts;
  readonly #orphans: JobOrphans;
  readonly #namespaces: JobNamespaces;
  readonly #endings: RunEndings;
  readonly #hashOf = createHookHash();
  readonly #begun = latch();
  readonly #pace: StartPace;
  #leadership: Leadership = { type: 'before' };
  #waiting = 0;

  constructor(options: JobExecutorOptions) {
    const { client, log, metrics, now = Date.now, elapsed = () => performance.now() } = options;
    const runs = new LiveRuns();
    const deletions = new JobDeletions(client, log);
    this.#options = options;
    this.#pace = new StartPace(elapsed);
    this.#endings = new RunEndings({ runs, deletions, metrics, now });
    this.#parts = {
      ...options,
      runs,
      deletions,
      now,
      elapsed,
      slots: new StartSlots(options, (count) => metrics.jobsRunning.set({}, count)),
      onEnd: (run, end) => this.#endings.add(run, end),
      onSilent: (run) => options.events(silentEvent(run)),
      conclude: (run) => this.#endings.conclude(run),
    };
    this.#orphans = new JobOrphans(this.#parts);
    this.#namespaces = new JobNamespaces({
      ...options,
      runs,
      onFound: (job, pods) => {
        if (this.#leadership.type === 'leads') this.#orphans.found(job, pods, this.#leadership.signal);
      },
    });
    this.desk = openDesk({
      client,
      runs,
      seal: options.seal,
      now,
      podsOf: ({ namespace, uid = '' }) => this.#namespaces.get(namespace)?.podsOf(uid) ?? [],
      namespaceOf: (name) => this.#namespaces.get(name),
      onFirst: (run) => this.#started(run),
    });
  }

  /** Why no Job can be run at the moment; undefined when they can. */
  get problem(): string | undefined {
    return this.#namespaces.problem;
  }

  /** Leads until `signal` aborts; called once. What runs then goes on, and is taken over by the next leader. */
  async run(signal: AbortSignal): Promise<void> {
    const { namespace, namespaces = () => [] } = this.#options;
    this.#leadership = { type: 'leads', signal };
    for (const name of [namespace, ...namespaces()]) this.#namespaces.open(name);
    this.#begun.resolve();
    try {
      await this.#parts.deletions.run(signal);
    } finally {
      this.#leadership = { type: 'over' };
      this.#namespaces.end();
      await this.#orphans.ended();
    }
  }

  /** Runs a hook once, in a Job; never rejects, not even when `signal` ends the run. */
  async execute(request: ExecuteRequest, signal: AbortSignal): Promise<Execution> {
    const { name } = request.hook;
    const rule = jobRuleOf(request.hook);
    if (rule === undefined) return notRun(name, 'it has no settings.executor');
    // Of a caller who waits, any replica is asked, and only one has the Jobs.
    if (request.isAsked === true && this.#leadership.type !== 'leads')
      return notRun(name, 'this replica does not lead');
    try {
      const execution = await this.#execute(request, rule, signal);
      this.#pace.ended(name, execution, signal);
      return execution;
    } catch (cause) {
      return notRun(name, signal.aborted ? stopText(signal) : `its Job could not be run: ${messageOf(cause)}`, cause);
    }
  }

  /** The outcome of the run was recorded, and what it asked for is applied: its Pod may end. */
  concluded(runId: string): void {
    const run = this.#parts.runs.findByRunId(runId);
    if (run !== undefined) this.#endings.conclude(run);
  }

  async #execute(request: ExecuteRequest, rule: JobRule, signal: AbortSignal): Promise<Execution> {
    await abortable(this.#begun.promise, signal);
    const leadership = this.#leadership;
    if (leadership.type !== 'leads') return notRun(request.hook.name, 'this replica does not lead any more');
    const namespace = this.#namespaces.open(rule.namespace ?? this.#options.namespace);
    const either = AbortSignal.any([signal, leadership.signal]);
    await abortable(namespace.ready, either);
    const settled = await this.#orphans.settle(request, signal);
    if (settled !== undefined) return settled;
    await untilNoStrays(request.hook.name, namespace, this.#parts, either);
    await this.#pace.wait(request.hook.name, either);
    const { contexts, onOutput, hook } = request;
    const { plainExitCodes = false, backgroundLimitMs } = this.#options;
    const setting = { rule, plainExitCodes, backgroundLimitMs, hookHash: await this.#hashOf(hook) };
    const facts = factsOfRequest(request, setting);
    const place = { namespace: namespace.name, job: jobName(facts.runId) };
    const run = new LiveRun({ ...place, facts, contexts, onOutput, elapsed: this.#parts.elapsed });
    this.#parts.runs.add(run);
    const problem = await this.#start(run, { request, rule }, either);
    return problem === undefined ? this.#watchOver(run, either) : notRun(request.hook.name, problem);
  }

  async #watchOver(run: LiveRun, signal: AbortSignal): Promise<Execution> {
    try {
      const end = await supervise(run, { ...this.#parts, isLeaving: () => this.#isLeaving() }, signal);
      this.#endings.add(run, end);
      return executionOf(run, end);
    } finally {
      this.#parts.slots.give();
    }
  }

  /** Without its watches it sees no end of a run. */
  #isLeaving(): boolean {
    return this.#options.isLeaving() || this.#leadership.type !== 'leads' || this.#leadership.signal.aborted;
  }

  /** Has the Job created; returns why it is not. */
  async #start(
    run: LiveRun,
    { request, rule }: { readonly request: ExecuteRequest; readonly rule: JobRule },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { facts, namespace, job: name } = run;
    const purpose = { rule, facts, namespace, env: request.env };
    const write = (authority: string) => jobObject({ ...purpose, authority }, this.#options);
    let isDone = false;
    this.#countWaiting(1);
    try {
      const started = await startJob(run, write, { ...this.#parts, ...this.#options }, signal);
      isDone = started.type === 'created' || !started.isUnsure;
      if (started.type === 'refused') return started.reason;
      run.created(started.job.uid);
      run.startable(rule.isSuspended);
      this.#namespaces.catchUp(run);
      return undefined;
    } finally {
      this.#countWaiting(-1);
      if (run.uid === undefined) this.#parts.runs.drop(run);
      // It may have been created all the same.
      if (!isDone && !this.#isLeaving()) this.#parts.deletions.add({ namespace, name, how: 'delete' });
    }
  }

  #countWaiting(by: number): void {
    this.#waiting += by;
    this.#options.metrics.jobsWaiting.set({}, this.#waiting);
  }

  #started({ facts: { hook }, sight: { startableSinceMs } }: LiveRun): void {
    const { metrics } = this.#options;
    if (startableSinceMs === undefined) return;
    metrics.jobStartSeconds.observe({ hook }, (this.#parts.elapsed() - startableSinceMs) / 1000);
  }
}

function silentEvent({ facts: { hook }, job, namespace }: LiveRun) {
  const message = `hook ${hook}: the Pod of its Job ${namespace}/${job} runs, but has not asked for its run since the leader changed: it is waited for`;
  return { type: 'Warning', reason: 'JobSilent', message } as const;
}
