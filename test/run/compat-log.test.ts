import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HookFailedError } from '../../src/errors.ts';
import type { AdmissionBinding } from '../../src/hook/ask-binding.ts';
import type { Hook } from '../../src/hook/binding.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import { createLogger } from '../../src/log.ts';
import { endedWhole, type RunEvent } from '../../src/run/journal.ts';
import { runLog } from '../../src/run/run-log.ts';
import { newRun } from '../../src/run/run.ts';
import { createOutputLog } from '../../src/runner/output-log.ts';
import { hookWith, kubernetesBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { eventOf, taskOf } from '../support/unit-rig.ts';

type Line = Readonly<Record<string, unknown>>;

interface PeerLog {
  readonly output: readonly { readonly stream: 'stdout' | 'stderr'; readonly line: string; readonly logged: Line }[];
  readonly runs: readonly Line[];
}

const file = new URL('../fixtures/shell-operator-log.json', import.meta.url);
/** What a running shell-operator logged. */
const PEER = JSON.parse(readFileSync(file, 'utf8')) as PeerLog;

const startup: Trigger = { type: 'onStartup', binding: { type: 'onStartup', order: 1 } };
const startupRun = newRun(taskOf(hookWith('01-startup.sh'), startup), 'main');

function logOf(...events: readonly RunEvent[]): readonly string[] {
  const lines: string[] = [];
  const log = createLogger({
    format: 'compat',
    level: 'info',
    write: (line) => lines.push(line),
    now: () => new Date('2026-11-23T05:03:16.789Z'),
  });
  const journal = runLog({
    log,
    outputLog: createOutputLog({ log, logProxyHookJson: false, logCompat: true }),
    logCompat: true,
  });
  for (const event of events) journal.record(event);
  return lines;
}

function parsed(line: string | undefined): Line {
  const { time: _time, run: _run, ...rest } = JSON.parse(line ?? 'null') as Line;
  return rest;
}

function theirs(logged: Line): Line {
  const { time: _time, ...line } = logged;
  return line;
}

function scheduleRun(name: string, queue: string) {
  const binding = scheduleBinding(name);
  const hook: Hook = hookWith('03-fail.sh', [binding]);
  return newRun(taskOf(hook, tickOf(binding)), queue);
}

describe('the log as that of shell-operator', () => {
  it.each(PEER.output)('has $line as there', ({ stream, line, logged }) => {
    const [own] = logOf({ type: 'output', run: startupRun, output: { type: 'line', line: { stream, line } } });

    expect(parsed(own)).toEqual(theirs(logged));
  });

  it('has its keys in that order, and the time last in whole seconds', () => {
    const [own = ''] = logOf({
      type: 'output',
      run: startupRun,
      output: { type: 'line', line: { stream: 'stdout', line: '{"msg":"x","z":1,"a":2}' } },
    });

    const keys = Object.keys(JSON.parse(own) as Line);
    expect(keys.slice(0, 3)).toEqual(['level', 'logger', 'msg']);
    expect(keys.slice(3, -1)).toEqual(keys.slice(3, -1).toSorted());
    expect(own.endsWith(',"time":"2026-11-23T05:03:16Z"}\n')).toBe(true);
  });

  it('has how runs begin and end as there', () => {
    const [started, succeeded, failed, allowed] = PEER.runs.map(theirs);
    const cost = { durationMs: 1.2, usage: {} };
    const error = new HookFailedError('03-fail.sh FAILED: oops\n', undefined);
    const outcome = { type: 'failed', by: 'hook', error } as const;

    const lines = logOf(
      { type: 'started', run: startupRun, waitedMs: 0 },
      endedWhole(startupRun, { type: 'succeeded', cost, applied: [] }, { type: 'done' }),
      endedWhole(scheduleRun('tick', 'sched'), outcome, { type: 'retry', at: 'head', delayMs: 5000 }),
      endedWhole(scheduleRun('okfail', 'sched2'), outcome, { type: 'drop', why: 'allowed' }),
      endedWhole(scheduleRun('tick', 'sched'), outcome, { type: 'answer' }),
    ).map(parsed);

    expect(lines).toEqual([started, { ...succeeded, durationMs: 1 }, failed, allowed, failed]);
  });

  it('says nothing for a line of blanks, and cuts what is too long', () => {
    const printed = (line: string): RunEvent => ({
      type: 'output',
      run: startupRun,
      output: { type: 'line', line: { stream: 'stdout', line } },
    });

    expect(logOf(printed('   \t'))).toEqual([]);
    const text = 'y'.repeat(9990);
    expect(parsed(logOf(printed(JSON.stringify({ msg: 'm', level: 'error', text })))[0])).toEqual({
      ...theirs(PEER.output[0]?.logged ?? {}),
      msg: 'm',
      level: 'error',
      proxyJsonLog: true,
      hook_truncated: `{"hook_text":"${'y'.repeat(9986)}:truncated`,
    });
  });

  it('names the type of the binding as the event', () => {
    const pods = kubernetesBinding('pods');
    const webhook: AdmissionBinding = {
      type: 'kubernetesValidating',
      name: 'pods.example.com',
      rules: [],
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: 10,
      matchConditions: [],
      includeSnapshotsFrom: [],
    };
    const eventOfRun = (trigger: Trigger, queue: string): unknown =>
      parsed(logOf({ type: 'started', run: newRun(taskOf(hookWith('a.sh'), trigger), queue), waitedMs: 0 })[0])[
        'event'
      ];

    expect(eventOfRun({ type: 'synchronization', binding: pods }, 'main')).toBe('kubernetes');
    expect(eventOfRun(eventOf(pods, 'web'), 'main')).toBe('kubernetes');
    expect(eventOfRun({ type: 'ask', binding: webhook, contextType: 'Validating', members: {} }, '')).toBe(
      'kubernetesValidating',
    );
  });

  it('has an error of ours as the field error, with its causes', () => {
    const lines: string[] = [];
    const log = createLogger({ format: 'compat', level: 'info', write: (line) => lines.push(line) });

    log.warn({ err: new Error('no', { cause: new Error('why') }), loop: {} }, 'something');

    expect(parsed(lines[0])).toEqual({
      level: 'warn',
      logger: 'shell-operator',
      msg: 'something',
      error: 'no\ncaused by: why',
      loop: {},
    });
  });

  it('never fails because of a field', () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    const lines: string[] = [];
    const log = createLogger({ format: 'compat', level: 'info', write: (line) => lines.push(line) });

    log.info({ circle, time: 'x', level: 7 }, 'x');

    expect(parsed(lines[0])).toMatchObject({ level: 'info', msg: 'x', circle: '[object Object]' });
  });
});
