import { onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import type { DeadFilter, DeadLetterStatus } from '../../src/hook/dead-control.ts';
import type { OperatorStatus } from '../../src/hook/operator-view.ts';
import type { RecordingControl } from '../../src/hook/run-control.ts';
import type { PauseStatus, PauseTarget } from '../../src/hook/pause-control.ts';
import { changeText, fieldChanges } from '../../src/operator/dry-run/field-changes.ts';
import { RunHistory } from '../../src/run/history.ts';
import type { PageAccess, PageRight } from '../../src/server/page/access.ts';
import type { PageDoor } from '../../src/server/page/gate.ts';
import type {
  ContainerMemory,
  EnvironmentChange,
  HookFacts,
  Minute,
  NeighborFacts,
  PageModel,
  WatchFacts,
} from '../../src/server/page/model.ts';
import { createPageServer } from '../../src/server/page/page-server.ts';
import { isMatch } from '../../src/server/page/views/select-letters.ts';
import { fakeSchedules, scheduleStatus } from './fake-schedules.ts';
import { recordingLogger } from './recording-logger.ts';
import { historyRig } from './run-history.ts';

/** A dead letter of a Pod. */
export function letterOf(id: string, changes: Partial<DeadLetterStatus> = {}): DeadLetterStatus {
  return {
    id,
    hook: 'hook.sh',
    binding: 'pods',
    trigger: { type: 'event', watchEvent: 'Added', kind: 'Pod', namespace: 'default', name: `web-${id}` },
    why: 'exhausted',
    message: 'gave up',
    attempts: 3,
    firstAtMs: 0,
    lastAtMs: 60_000,
    runId: 'run',
    hookIs: 'same',
    ...changes,
  };
}

export interface PageRigOptions {
  readonly history?: RunHistory;
  readonly recordings?: RecordingControl;
  readonly door?: PageDoor;
  readonly hosts?: readonly string[];
  /** The time of the page; default the noon of a day. */
  readonly nowMs?: number;
  /** Default: it is always `nowMs`. */
  readonly now?: () => number;
  readonly wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Everything that a test changes of the model of a page. */
export interface RigState {
  letters: DeadLetterStatus[];
  pauses: PauseStatus[];
  hooks: HookFacts[];
  /** What is waited for before the hooks are known. */
  hooksAfter: Promise<unknown> | undefined;
  watches: WatchFacts[];
  minutes: Minute[];
  refusal: string | undefined;
  status: Partial<OperatorStatus>;
  version: number;
  neighbors: NeighborFacts;
  environmentChange: EnvironmentChange | undefined;
  timeouts: Record<string, number>;
  memory: ContainerMemory | undefined;
}

const NOON_MS = Date.UTC(2026, 0, 5, 12);

/** A page of an operator that the test makes, served on a port of this machine. */
export async function pageRig(options: PageRigOptions = {}) {
  const { history, recordings, door = OPEN, hosts = [], nowMs = NOON_MS } = options;
  let clockMs = nowMs - 3_600_000;
  const runs = historyRig(history ?? new RunHistory({ now: () => (clockMs += 1000) }));
  const schedules = fakeSchedules(scheduleStatus({ nextAtMs: nowMs + 60_000, outcome: 'succeeded' }));
  const state: RigState = {
    letters: [],
    pauses: [],
    hooks: [
      {
        name: 'hook.sh',
        type: 'process',
        state: 'working',
        bindings: ['kubernetes pods: Pod, all namespaces'],
        warnings: [],
        settings: [],
      },
    ],
    hooksAfter: undefined,
    watches: [
      {
        hook: 'hook.sh',
        binding: 'pods',
        what: 'Pod, all namespaces',
        isSynced: true,
        lastContactAtMs: nowMs,
        objects: 3,
        changes: 7,
        restarts: ['expired 1'],
        filterMs: 0.2,
      },
    ],
    minutes: [],
    refusal: undefined,
    status: {},
    version: 1,
    neighbors: { pods: [], problems: [] },
    environmentChange: undefined,
    timeouts: {},
    memory: undefined,
  };
  const done: string[] = [];
  const actions: string[] = [];
  let renderings = 0;
  const model: PageModel = {
    view: {
      runs: runs.history,
      recordings,
      status: () => {
        renderings += 1;
        return { ...IDLE, running: runs.history.running(), ...state.status };
      },
      seen: () => ({ operations: [], dropped: 0 }),
      queues: () => [],
      held: () => state.pauses.reduce((sum, { held }) => sum + held, 0),
      object: (meant) => ({
        outcomes: runs.history.objects({ object: meant }),
        children: [],
        runs: runs.history.list({ object: meant, limit: 10 }).runs,
      }),
      why: async (hook, object) => ({ hook, object, bindings: [], runs: [] }),
    },
    schedules,
    dead: {
      list: async () => state.letters,
      retry: async (filter) => {
        done.push(`retry ${JSON.stringify(filter)}`);
        return { retried: take(state, filter), hookGone: 0, objectGone: 0 };
      },
      drop: async (filter) => {
        done.push(`drop ${JSON.stringify(filter)}`);
        return take(state, filter);
      },
    },
    pauses: {
      list: async () => state.pauses,
      pause: async (target: PauseTarget) => {
        if ('hook' in target && target.hook === 'none.sh') throw new UsageError('no hook "none.sh"');
        done.push(`pause ${JSON.stringify(target)}`);
        state.pauses.push({ target, by: 'hand', sinceMs: nowMs, held: 0 });
        return true;
      },
      resume: async (target) => {
        done.push(`resume ${JSON.stringify(target)}`);
        state.pauses = [];
        return 2;
      },
    },
    refusal: () => state.refusal,
    hooks: async () => {
      renderings += 1;
      await state.hooksAfter;
      return state.hooks;
    },
    watches: () => state.watches,
    replica: () => ({
      name: 'hooklet-0',
      version: 'hooklet/0.1.0',
      startedAtMs: nowMs,
      memoryBytes: 100 * 1024 * 1024,
      checks: [{ name: 'startup', isOk: true, message: '' }],
      certificates: [{ which: 'serving', expiresAtMs: nowMs + 5 * 86_400_000 }],
    }),
    neighbors: async () => state.neighbors,
    environmentChange: () => state.environmentChange,
    curves: () => state.minutes,
    timeoutOf: (hook) => state.timeouts[hook],
    memory: () => state.memory,
    changeTexts: ({ before, after, isSecret }) =>
      fieldChanges(before, after).map((change) => changeText(change, isSecret)),
    version: () => state.version,
  };
  const server = await createPageServer({
    address: '127.0.0.1',
    port: 0,
    model,
    door,
    isHostAllowed: (host) => ['127.0.0.1', 'localhost', ...hosts].includes((host ?? '').replace(/:\d+$/, '')),
    onAction: ({ name }, words) => actions.push(`${name}: ${words}`),
    now: options.now ?? (() => nowMs),
    ...(options.wait !== undefined && { wait: options.wait }),
    log: recordingLogger(),
  });
  onTestFinished(async () => server.close());
  const url = `http://127.0.0.1:${server.port}`;
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}${path}`, { headers, redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  /** Sends a form as a browser on the page does, unless other headers are given. */
  const post = async (
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { origin: url, ...headers },
      redirect: 'manual',
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  /** The hidden fields of the form of a page. */
  const fieldsOf = (text: string): Record<string, string> =>
    Object.fromEntries(
      [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name ?? '',
        value ?? '',
      ]),
    );
  return { ...runs, url, get, post, fieldsOf, state, done, actions, schedules, server, renderings: () => renderings };
}

const OPEN: PageDoor = { type: 'open', user: { name: 'local developer', groups: [] } };

const IDLE: OperatorStatus = {
  time: '2026-01-05T00:00:00.000Z',
  role: 'alone',
  hooks: { loaded: 1, starting: [], broken: [] },
  running: [],
  queues: [],
  failing: [],
  suspended: [],
  paused: [],
};

function take(state: RigState, filter: DeadFilter): number {
  const before = state.letters.length;
  state.letters = state.letters.filter((letter) => !isMatch(letter, filter));
  return before - state.letters.length;
}

/** Users with their tokens and rights as text: `retry runs`, or `*`. */
export function fakeAccess(
  users: Readonly<Record<string, readonly string[]>>,
): PageAccess & { readonly asked: string[] } {
  const asked: string[] = [];
  const isRight = (given: string, { verb, resource, name }: PageRight): boolean =>
    ['*', `${verb} ${resource}`, `${verb} ${resource} ${name ?? ''}`].includes(given);
  return {
    asked,
    userOf: async (token) => {
      asked.push(token);
      return Object.hasOwn(users, token)
        ? { type: 'known', user: { name: token, groups: ['team'] } }
        : { type: 'unknown' };
    },
    may: async ({ name }, right) => users[name]?.some((given) => isRight(given, right)) === true,
  };
}
