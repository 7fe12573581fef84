import { describe, expect, it } from 'vitest';
import type { DebugQueue, DebugSnapshot } from '../../src/hook/debug-view.ts';
import {
  configDocument,
  configText,
  queueDocument,
  queuesDocument,
  queuesText,
  queueText,
  snapshotsJson,
} from '../../src/server/debug-text.ts';
import { kubernetesBinding } from '../support/bindings.ts';

/** A queue with so many tasks, `name 1` the first of them. */
function queue(name: string, length: number, status = ''): DebugQueue {
  return { name, length, status, tasks: Array.from({ length }, (_, index) => `${name} ${index + 1}`) };
}

describe('a queue', () => {
  it.each([
    [queue('main', 0), "Queue 'main': length 0, status: ''\n\n"],
    [queue('main', 0, 'waiting for task 3s'), "Queue 'main': length 0, status: 'waiting for task 3s'\n\n"],
    [queue('q', 2, 'run first task'), "Queue 'q': length 2, status: 'run first task'\n\n 1. q 1\n 2. q 2\n"],
  ])('%j is text', (given, text) => {
    expect(queueText(given)).toBe(text);
  });

  it('numbers its tasks in two columns', () => {
    expect(queueText(queue('q', 10)).split('\n').slice(2)).toEqual([
      ...Array.from({ length: 9 }, (_, index) => ` ${index + 1}. q ${index + 1}`),
      '10. q 10',
      '',
    ]);
  });

  it.each([
    [queue('main', 0), { name: 'main', tasksCount: 0 }],
    [queue('main', 0, 'stop'), { name: 'main', tasksCount: 0, status: 'stop' }],
    [queue('q', 1, 'x'), { name: 'q', tasksCount: 1, status: 'x', tasks: [{ index: 1, description: 'q 1' }] }],
  ])('%j is plain data', (given, document) => {
    expect(JSON.stringify(queueDocument(given))).toBe(JSON.stringify(document));
  });
});

const MAIN_ACTIVE = "Queue 'main': length 2, status: ''\n\n 1. main 1\n 2. main 2\n";

describe('all queues', () => {
  it.each([
    [[], true, '\nEmpty queues (0):\n\nSummary:\n  No queues.\n'],
    [[], false, 'Summary:\n  No queues.\n'],
    [[queue('main', 0)], true, "Summary:\n- 'main' queue: empty.\n- no tasks to handle.\n"],
    [[queue('main', 0)], false, "Summary:\n- 'main' queue: empty.\n- no tasks to handle.\n"],
    [
      [queue('main', 1)],
      false,
      "Queue 'main': length 1, status: ''\n\n 1. main 1\n\nSummary:\n- 'main' queue: 1 task.\n- total 1 task to handle.\n",
    ],
    [
      [queue('main', 2)],
      true,
      `${MAIN_ACTIVE}\nEmpty queues (0):\n\nSummary:\n- 'main' queue: 2 tasks.\n- total 2 tasks to handle.\n`,
    ],
    [
      [queue('main', 0), queue('a', 0)],
      true,
      "\nEmpty queues (2):\n- main\n- a\n\nSummary:\n- 'main' queue: empty.\n- 1 other queue (0 active, 1 empty): 0 tasks.\n- no tasks to handle.\n",
    ],
    [
      [queue('main', 0), queue('a', 0)],
      false,
      "Summary:\n- 'main' queue: empty.\n- 1 other queue (0 active, 1 empty): 0 tasks.\n- no tasks to handle.\n",
    ],
    [
      [queue('b', 1, 'run first task'), queue('c', 0), queue('main', 2)],
      true,
      `${MAIN_ACTIVE}\nQueue 'b': length 1, status: 'run first task'\n\n 1. b 1\n\nEmpty queues (1):\n- c\n\nSummary:\n- 'main' queue: 2 tasks.\n- 2 other queues (1 active, 1 empty): 1 task.\n- total 3 tasks to handle.\n`,
    ],
    [
      [queue('b', 1, 'run first task'), queue('c', 0), queue('main', 2)],
      false,
      `${MAIN_ACTIVE}\nQueue 'b': length 1, status: 'run first task'\n\n 1. b 1\n\nSummary:\n- 'main' queue: 2 tasks.\n- 2 other queues (1 active, 1 empty): 1 task.\n- total 3 tasks to handle.\n`,
    ],
    [
      [queue('a', 1)],
      false,
      "Queue 'a': length 1, status: ''\n\n 1. a 1\n\nSummary:\n- 1 other queue (1 active, 0 empty): 1 task.\n- total 1 task to handle.\n",
    ],
  ])('%j with empty ones %s are text', (queues, showEmpty, text) => {
    expect(queuesText(queues, showEmpty)).toBe(text);
  });

  it.each([
    [
      [queue('main', 0)],
      true,
      { active: [], summary: { mainQueueTasks: 0, otherQueues: { active: 0, empty: 0, tasks: 0 }, totalTasks: 0 } },
    ],
    [
      [queue('empty', 0), queue('a', 1), queue('main', 1)],
      true,
      {
        active: [queueDocument(queue('main', 1)), queueDocument(queue('a', 1))],
        empty: [{ name: 'empty', tasksCount: 0 }],
        summary: { mainQueueTasks: 1, otherQueues: { active: 1, empty: 1, tasks: 1 }, totalTasks: 2 },
      },
    ],
    [
      [queue('empty', 0), queue('a', 1), queue('main', 0)],
      false,
      {
        active: [queueDocument(queue('a', 1))],
        summary: { mainQueueTasks: 0, otherQueues: { active: 1, empty: 1, tasks: 1 }, totalTasks: 1 },
      },
    ],
    [
      [queue('empty', 0, 'waiting for task 1s'), queue('main', 0, 'waiting for task 1s')],
      true,
      {
        active: [],
        empty: [
          { name: 'main', tasksCount: 0 },
          { name: 'empty', tasksCount: 0 },
        ],
        summary: { mainQueueTasks: 0, otherQueues: { active: 0, empty: 1, tasks: 0 }, totalTasks: 0 },
      },
    ],
  ])('%j with empty ones %s are plain data', (queues, showEmpty, document) => {
    expect(JSON.stringify(queuesDocument(queues, showEmpty))).toBe(JSON.stringify(document));
  });

  it('main is the first, the others are in the order of their names', () => {
    const names = ['str', 'asd', 'hook.kube', 'main', 'sched-queue'];
    const text = queuesText(
      names.map((name) => queue(name, 0)),
      true,
    );

    expect([...text.matchAll(/^- ([\w.-]+)$/gm)].map(([, name]) => name)).toEqual([
      'main',
      'asd',
      'hook.kube',
      'sched-queue',
      'str',
    ]);
  });
});

describe('the snapshots of a hook', () => {
  const operations = { added: 2, deleted: 1, modified: 3, cleaned: 0 };
  const none = { added: 0, deleted: 0, modified: 0, cleaned: 0 };
  const object = Buffer.from('{"kind":"Pod"}');
  const base: Omit<DebugSnapshot, 'binding'> = {
    snapshot: [{ namespace: 'default', name: 'a', object, filterResult: '{"x":"1"}' }],
    sinceStart: operations,
    sinceLastExecution: none,
  };
  const json = (snapshots: readonly DebugSnapshot[]): string => Buffer.concat(snapshotsJson(snapshots)).toString();
  const OPERATIONS =
    '"operations":{"sinceLastExecution":{"count":0,"added":0,"deleted":0,"modified":0,"cleaned":0},"sinceStart":{"count":1,"added":2,"deleted":1,"modified":3,"cleaned":0}}';

  it('are null without a kubernetes binding', () => {
    expect(json([])).toBe('null\n');
  });

  it('have the objects as contexts have them, and how often they changed', () => {
    const filter = { type: 'jq', expression: '.x' } as const;

    expect(json([{ ...base, binding: kubernetesBinding('pods', { filter }) }])).toBe(
      `{"pods":{${OPERATIONS},"snapshot":[{"filterResult":{"x":"1"},"object":{"kind":"Pod"}}]}}\n`,
    );
    expect(json([{ ...base, binding: kubernetesBinding('pods', { filter, keepFullObjectsInMemory: false }) }])).toBe(
      `{"pods":{${OPERATIONS},"snapshot":[{"filterResult":{"x":"1"}}]}}\n`,
    );
    expect(json([{ ...base, binding: kubernetesBinding('pods') }])).toBe(
      `{"pods":{${OPERATIONS},"snapshot":[{"object":{"kind":"Pod"}}]}}\n`,
    );
  });

  it('are in the order of the names of bindings', () => {
    const named = ['b', 'a "quoted"'].map((name) => ({ ...base, binding: kubernetesBinding(name) }));

    expect(Object.keys(JSON.parse(json(named)))).toEqual(['a "quoted"', 'b']);
  });
});

describe('the parameters', () => {
  const level = { name: 'log.level', description: 'Level of the log', default: 'info', value: 'debug' };
  const HEAD =
    'NAME                           VALUE                EXPIRE AT            DESCRIPTION                             \n';

  it.each([
    [[], HEAD],
    [
      [level],
      `${HEAD}log.level                      debug                                     Level of the log                        \n`,
    ],
    [
      [{ ...level, expireAt: '2026-11-23T05:05:03Z' }],
      `${HEAD}log.level                      debug                2026-11-23T05:05:03Z Level of the log                        \n`,
    ],
  ])('%j are a table', (parameters, text) => {
    expect(configText(parameters)).toBe(text);
  });

  it('are plain data with sorted keys', () => {
    expect(JSON.stringify(configDocument([{ ...level, expireAt: 'x' }]))).toBe(
      '[{"default":"info","description":"Level of the log","expireAt":"x","name":"log.level","value":"debug"}]',
    );
  });
});
