import { describe, expect, it } from 'vitest';
import { combineTasks } from '../../src/hook/combine.ts';
import { parseConfig } from '../../src/hook/config.ts';
import { writeContexts } from '../../src/hook/context.ts';
import type { Task } from '../../src/hook/task.ts';
import type { Trigger } from '../../src/hook/trigger.ts';
import { hookWith, kubernetesBinding, scheduleBinding, tickOf } from '../support/bindings.ts';

function parse(text: string) {
  return parseConfig(text, () => undefined);
}

function bindingsOf(text: string): readonly object[] {
  const config = parse(text);
  if (config.type === 'invalid') throw new Error(config.issues.map(({ message }) => message).join('; '));
  return config.bindings;
}

const event = { type: 'kubernetes', name: 'onKubernetesEvent', kind: 'Pod', format: 'v0' };

describe('a config without configVersion', () => {
  it.each([
    ['onStartup', 'onStartup: 5', [{ type: 'onStartup', order: 5 }]],
    ['JSON', '{"onStartup":5}', [{ type: 'onStartup', order: 5 }]],
    ['a schedule', 'schedule: [{crontab: "* * * * *"}]', [{ type: 'schedule', name: 'schedule', queue: 'main' }]],
    [
      'a schedule with a name',
      'schedule: [{name: a, crontab: "* * * * *", allowFailure: true}]',
      [{ name: 'a', allowFailure: true, format: 'v0' }],
    ],
    [
      'a schedule with fields of v1, which mean nothing',
      'schedule: [{crontab: "* * * * *", queue: q, group: g, foo: 1}]',
      [{ queue: 'main', format: 'v0' }],
    ],
    ['an empty list, which switches the hook off', 'schedule: []', []],
    ['a kind', 'onKubernetesEvent: [{kind: Pod}]', [{ ...event, executeHookOnEvent: [] }]],
    [
      'no Synchronization',
      'onKubernetesEvent: [{kind: Pod}]',
      [{ executeHookOnSynchronization: false, queue: 'main' }],
    ],
    [
      'events',
      'onKubernetesEvent: [{kind: Pod, event: [add, update, delete]}]',
      [{ executeHookOnEvent: ['Added', 'Modified', 'Deleted'] }],
    ],
    [
      'a selector',
      'onKubernetesEvent: [{kind: Pod, selector: {matchLabels: {a: b}}}]',
      [{ labelSelector: { matchLabels: { a: 'b' } } }],
    ],
    ['the name of an object', 'onKubernetesEvent: [{kind: Pod, objectName: x}]', [{ names: ['x'] }]],
    [
      'namespaces',
      'onKubernetesEvent: [{kind: Pod, namespaceSelector: {matchNames: [a, b]}}]',
      [{ namespace: { type: 'names', names: ['a', 'b'] } }],
    ],
    ['a filter', 'onKubernetesEvent: [{kind: Pod, jqFilter: .a}]', [{ filter: { type: 'jq', expression: '.a' } }]],
    ['a name', 'onKubernetesEvent: [{kind: Pod, name: a, allowFailure: true}]', [{ name: 'a', allowFailure: true }]],
    ['unknown fields', 'onKubernetesEvent: [{kind: Pod, foo: {a: b}, name: null}]', [event]],
  ])('has %s', (_what, text, bindings) => {
    expect(bindingsOf(text)).toMatchObject(bindings);
  });

  it.each(['{any: true}', '{any: true, matchNames: [a]}', '{matchNames: []}', '{}'])(
    'has all namespaces with namespaceSelector: %s',
    (selector) => {
      const [binding] = bindingsOf(`onKubernetesEvent: [{kind: Pod, namespaceSelector: ${selector}}]`);

      expect(binding).not.toHaveProperty('namespace');
    },
  );

  it.each([
    ['onStartup: x', 'onStartup', 'onStartup must be of type integer'],
    ['schedule: {}', 'schedule', 'schedule must be of type array'],
    ['schedule: [5]', 'schedule[0]', 'schedule must be of type object'],
    ['schedule: [{}]', 'schedule[0].crontab', 'schedule.crontab is required'],
    ['schedule: [{crontab: "* *"}]', 'schedule[0].crontab', 'crontab is invalid: Expected 5 or 6 fields, found 2'],
    ['onKubernetesEvent: [{}]', 'onKubernetesEvent[0].kind', 'onKubernetesEvent.kind is required'],
    ['onKubernetesEvent: [{kind: Pod, event: [ADD]}]', 'onKubernetesEvent[0].event[0]', "event 'ADD' is unsupported"],
    ['onKubernetesEvent: [{kind: Pod, event: add}]', 'onKubernetesEvent[0].event', 'must be of type array'],
    ['kubernetes: [{kind: Pod}]', 'kubernetes', '.kubernetes is a forbidden property'],
    ['settings: {}\nonStartup: 1', 'settings', '.settings is a forbidden property'],
  ])('is refused: %j', (text, path, phrase) => {
    expect(parse(text)).toMatchObject({
      issues: [
        { path, message: expect.stringContaining(phrase) },
        { path: 'configVersion', message: 'missing, so this is read as the old format; add "configVersion: v1"' },
      ],
    });
  });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const pods = kubernetesBinding('pods', { kind: 'po', format: 'v0', executeHookOnSynchronization: false });
const item = { namespace: 'default', name: 'web', object: bytes('{"kind":"Pod","metadata":{"name":"web"}}') };
const tick = tickOf(scheduleBinding('nightly', { format: 'v0' }));

function contextOf(trigger: Trigger): unknown {
  const chunks = writeContexts({ hook: hookWith('hook', [pods]), triggers: [trigger] }, () => []);
  return JSON.parse(Buffer.concat(chunks).toString());
}

describe('its contexts', () => {
  it.each([
    ['Added', 'add'],
    ['Modified', 'update'],
    ['Deleted', 'delete'],
  ] as const)('say of an event %s what happened to which object', (watchEvent, resourceEvent) => {
    expect(contextOf({ type: 'event', binding: pods, watchEvent, item })).toEqual([
      {
        binding: 'pods',
        resourceEvent,
        resourceKind: 'Pod',
        resourceName: 'web',
        resourceNamespace: 'default',
      },
    ]);
  });

  it('have the kind of the binding where the object is not known', () => {
    const unknown = { namespace: '', name: 'web' };

    expect(contextOf({ type: 'event', binding: pods, watchEvent: 'Deleted', item: unknown })).toMatchObject([
      { resourceKind: 'po', resourceNamespace: '' },
    ]);
  });

  it('have nothing but the binding of a schedule', () => {
    expect(contextOf(tick)).toEqual([{ binding: 'nightly' }]);
  });

  it('are never combined', () => {
    const hook = hookWith('hook', [pods]);
    const added: Trigger = { type: 'event', binding: pods, watchEvent: 'Added', item };
    const task = (trigger: Trigger): Task => ({
      hook,
      triggers: [trigger],
      allowFailure: false,
      queuedAtMs: 0,
      failures: 0,
      ownFailures: 0,
      sinceMs: 0,
    });
    const few = [task(added), task(added), task(tick), task(tick)];
    const many = Array.from({ length: 150 }, () => task(added));

    expect(combineTasks(few)).toBe(few);
    expect(combineTasks(many)).toHaveLength(150);
  });
});
