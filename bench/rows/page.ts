import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunRecord } from '../../src/hook/run-record.ts';
import type { OperatorStatus } from '../../src/hook/operator-view.ts';
import { createLogger } from '../../src/log.ts';
import { RunHistory } from '../../src/run/history.ts';
import type { PageModel } from '../../src/server/page/model.ts';
import { createPageServer } from '../../src/server/page/page-server.ts';
import { median } from '../figures.ts';
import { interleaved } from '../interleave.ts';
import type { Measure } from '../row.ts';

const RUNS = 10_000;
const HOOKS = 20;
const OBJECTS = 500;
const ROUNDS = 40;
const BEGIN_MS = Date.UTC(2026, 0, 5);
const VIEWS: Readonly<Record<string, string>> = {
  now: '/',
  runs: '/runs',
  'one object': '/object?name=Pod/default/web-7',
  failures: '/failures',
};

/** From a request to the last byte of a view of 10,000 runs; the limit is a bare server that has the same bytes at hand. */
export async function row(): Promise<readonly Measure[]> {
  const page = await createPageServer({
    address: '127.0.0.1',
    port: 0,
    model: modelOf(filledHistory()),
    door: { type: 'open', user: { name: 'bench', groups: [] } },
    isHostAllowed: () => true,
    onAction: () => {},
    now: Date.now,
    log: createLogger({ format: 'json', level: 'error', write: () => {} }),
  });
  try {
    const measures: Measure[] = [];
    for (const [name, path] of Object.entries(VIEWS)) {
      measures.push(await viewMeasure(name, `http://127.0.0.1:${page.port}${path}`));
    }
    return measures;
  } finally {
    await page.close();
  }
}

async function viewMeasure(name: string, url: string): Promise<Measure> {
  const bytes = await bytesOf(url);
  const bare = createServer((_request, response) => response.end(bytes));
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const { port } = bare.address() as AddressInfo;
  try {
    const { hooklet, limit } = await interleaved(ROUNDS, {
      hooklet: async () => timeOf(url),
      limit: async () => timeOf(`http://127.0.0.1:${port}`),
    });
    const goal = { type: 'value', most: 50 } as const;
    return { name, unit: 'ms', hooklet: median(hooklet), limit: median(limit), goal };
  } finally {
    bare.close();
    bare.closeAllConnections();
  }
}

async function timeOf(url: string): Promise<number> {
  const startedAtMs = performance.now();
  await bytesOf(url);
  return performance.now() - startedAtMs;
}

async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function filledHistory(): RunHistory {
  const limits = { runs: RUNS, bytes: 64 * 1024 * 1024 };
  const history = new RunHistory({ now: Date.now, limits });
  history.fill(Array.from({ length: RUNS }, (_, index) => storedRun(index)));
  return history;
}

/** Every third run has failed, at one of a thousand places. */
function storedRun(index: number): Parameters<RunHistory['fill']>[0][number] {
  const isFailed = index % 3 === 0;
  const at = (ms: number): string => new Date(BEGIN_MS - index * 1000 + ms).toISOString();
  const hook = `${index % HOOKS}00-hook.sh`;
  const record: RunRecord = {
    id: crypto.randomUUID(),
    hook,
    binding: 'pods',
    queue: 'main',
    reason: `Modified default/web-${index % OBJECTS}`,
    objects: [{ kind: 'Pod', namespace: 'default', name: `web-${index % OBJECTS}`, event: 'Modified' }],
    attempt: 1,
    queued: at(0),
    started: at(10),
    ended: at(50),
    waitedMs: 10,
    durationMs: 40,
    outcome: isFailed ? 'failed' : 'succeeded',
    ...(isFailed && { error: `hook ${hook} failed: exit code 1`, failedBy: 'hook', exitCode: 1 }),
    patches: [{ operation: 'MergePatch', target: `v1/Pod/default/web-${index % OBJECTS}`, change: 'patched' }],
    next: { type: isFailed ? 'retry' : 'done' },
    lines: 1,
  };
  return {
    record,
    log: [{ stream: 'stderr', line: `cannot reach place ${'abcdefghij'.charAt(index % 10)} of ${index}` }],
  };
}

/** What the views that are measured need. */
function modelOf(history: RunHistory): PageModel {
  const nothing = async (): Promise<never> => {
    throw new Error('the bench does not ask for it');
  };
  return {
    view: {
      runs: history,
      status: () => ({ ...IDLE, running: history.running() }),
      seen: () => ({ operations: [], dropped: 0 }),
      queues: () => [],
      held: () => 0,
      object: (object) => ({
        outcomes: history.objects({ object }),
        children: [],
        runs: history.list({ object, limit: 10 }).runs,
      }),
      why: nothing,
    },
    schedules: { list: () => [], trigger: nothing, suspend: nothing, resume: nothing },
    dead: { list: async () => [], retry: nothing, drop: nothing },
    pauses: { list: async () => [], pause: nothing, resume: nothing },
    refusal: () => undefined,
    hooks: async () => [],
    watches: () => [],
    environmentChange: () => undefined,
    replica: () => ({ name: 'a', version: 'b', startedAtMs: BEGIN_MS, memoryBytes: 0, checks: [], certificates: [] }),
    neighbors: async () => ({ pods: [], problems: [] }),
    curves: () => [],
    changeTexts: () => [],
    timeoutOf: () => undefined,
    memory: () => undefined,
    version: () => 1,
  };
}

const IDLE: OperatorStatus = {
  time: new Date(BEGIN_MS).toISOString(),
  role: 'alone',
  hooks: { loaded: HOOKS, starting: [], broken: [] },
  running: [],
  queues: [],
  failing: [],
  suspended: [],
  paused: [],
};
