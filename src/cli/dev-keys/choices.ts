import type { Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import type { ScheduleControl } from '../../hook/schedule-control.ts';
import type { Task } from '../../hook/task.ts';
import type { QueuedTrigger, Snapshot, SnapshotItem, Trigger } from '../../hook/trigger.ts';

import { admissionChoices, conversionChoices, httpChoice, type Asked } from './asked.ts';

/** What the keys need of a running operator. */
export interface KeyDoor {
  readonly hooks: () => readonly WorkingHook[];
  readonly schedules: Pick<ScheduleControl, 'list' | 'trigger'>;
  /** Runs the hook for the trigger in its turn. */
  readonly push: (hook: Hook, trigger: QueuedTrigger) => void;
  /** The task of the last run that began. */
  readonly last: () => Task | undefined;
  /** Where hooks are asked that answer a caller. */
  readonly asked: Asked;
}

/** A hook, and the objects that its bindings see. */
export interface WorkingHook {
  readonly hook: Hook;
  objects(binding: KubernetesBinding): Snapshot;
  /** Resolves when the first list of the binding is complete; undefined when it is. */
  listing(binding: KubernetesBinding): Promise<void> | undefined;
}

/** One thing that can be sent to a hook. */
export interface Choice {
  readonly text: string;
  /** Sends it; what it returns is to be chosen next. */
  readonly send: () => Sent;
}

/** It is sent, or more is to be said: one of these, the name of an object, or a text; or something is to come first. */
export type Sent =
  | { readonly type: 'sent' | 'answered'; readonly what: string }
  | Wait
  | { readonly type: 'text'; readonly title: string; readonly send: (text: string) => Sent }
  | { readonly type: 'choose'; readonly title: string; readonly choices: readonly Choice[] }
  | { readonly type: 'name'; readonly title: string; readonly send: (namespace: string, name: string) => Sent };

/** What is to come first, at most for `limitMs`; default 5 s. */
export interface Wait {
  readonly type: 'wait';
  readonly title: string;
  readonly until: Promise<Sent>;
  /** What is said when it does not come. */
  readonly late: string;
  readonly limitMs?: number;
}

const MAX_CHOICES = 99;

/** Everything that can be sent. */
export function choicesOf(door: KeyDoor): readonly Choice[] {
  const scheduled = door.schedules.list().map(({ hook, binding }): Choice => ({
    text: `${hook} ${binding}: a tick`,
    send: () => triggered(door, hook, binding),
  }));
  return [...door.hooks().flatMap((one) => choicesOfHook(door, one)), ...scheduled].slice(0, MAX_CHOICES);
}

function choicesOfHook(door: KeyDoor, working: WorkingHook): readonly Choice[] {
  const { hook } = working;
  return hook.bindings.flatMap((binding): readonly Choice[] => {
    switch (binding.type) {
      case 'onStartup':
        return [{ text: `${hook.name} onStartup`, send: () => pushed(door, hook, { type: 'onStartup', binding }) }];
      case 'kubernetes':
        return watchChoices(door, working, binding);
      case 'reconcile':
        return [
          { text: `${hook.name} ${binding.name}: look at a ${binding.kind}`, send: () => named(door, hook, binding) },
        ];
      case 'http':
        return [httpChoice(door.asked, hook.name, binding)];
      case 'kubernetesValidating':
      case 'kubernetesMutating':
        return admissionChoices(door.asked, hook.name, binding);
      case 'kubernetesCustomResourceConversion':
        return conversionChoices(door.asked, hook.name, binding);
      case 'schedule':
        return [];
    }
  });
}

function watchChoices(door: KeyDoor, working: WorkingHook, binding: KubernetesBinding): readonly Choice[] {
  const { hook } = working;
  const start = `${hook.name} ${binding.name}`;
  const events = binding.executeHookOnEvent.map((watchEvent): Choice => ({
    text: `${start}: ${watchEvent} of a ${binding.kind}`,
    send: () => listed(working, binding, (item) => pushed(door, hook, { type: 'event', binding, watchEvent, item })),
  }));
  const synchronization: Choice = {
    text: `${start}: Synchronization`,
    send: () => pushed(door, hook, { type: 'synchronization', binding }),
  };
  return [synchronization, ...events];
}

/** Has one of the objects that the binding sees chosen, once it has listed them. */
function listed(working: WorkingHook, binding: KubernetesBinding, send: (item: SnapshotItem) => Sent): Sent {
  const { kind } = binding;
  const chosen = (): Sent => {
    const found = working.objects(binding).slice(0, MAX_CHOICES);
    if (found.length === 0) return { type: 'sent', what: `nothing: the binding sees no ${kind}` };
    const choices = found.map((item) => ({ text: placeText(item), send: () => send(item) }));
    return { type: 'choose', title: `which ${kind}?`, choices };
  };
  const listing = working.listing(binding);
  if (listing === undefined) return chosen();
  const [title, late] = [`${kind} is being listed`, `nothing: ${kind} has not been listed yet`];
  return { type: 'wait', title, until: listing.then(chosen), late };
}

function named(door: KeyDoor, hook: Hook, binding: ReconcileBinding): Sent {
  return {
    type: 'name',
    title: `which ${binding.kind}? NAMESPACE/NAME, or NAME`,
    send: (namespace, name) => pushed(door, hook, { type: 'reconcile', binding, namespace, name, reason: 'manual' }),
  };
}

function placeText({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function pushed({ push }: KeyDoor, hook: Hook, trigger: QueuedTrigger): Sent {
  push(hook, trigger);
  return { type: 'sent', what: `${hook.name} ${describe(trigger)}` };
}

function triggered({ schedules }: KeyDoor, hook: string, binding: string): Sent {
  // What is wrong with the run is in the log.
  void schedules.trigger(hook, binding).catch(() => {});
  return { type: 'sent', what: `${hook} ${binding}` };
}

function describe(trigger: QueuedTrigger): string {
  const name = 'name' in trigger.binding ? `${trigger.binding.name} ` : '';
  if (trigger.type === 'event') return `${name}${trigger.watchEvent} ${placeText(trigger.item)}`;
  return trigger.type === 'reconcile' ? `${name}${placeText(trigger)}` : `${name}${trigger.type}`;
}

/** Runs the hook again for what its last run was for; returns what is said. A hook that was reloaded is run as it is now. */
export function runAgain(door: KeyDoor): string {
  const task = door.last();
  if (task === undefined) return 'nothing has run yet';
  const hook = door.hooks().find((one) => one.hook.name === task.hook.name)?.hook;
  if (hook === undefined) return `${task.hook.name} is not there any more`;
  const sent = task.triggers.map((trigger) => sentAgain(door, hook, trigger));
  const done = sent.filter((text) => text !== undefined);
  return done.length === 0
    ? `${hook.name} cannot be run again: its binding is gone, or a caller asked it`
    : `again: ${done.join('; ')}`;
}

function sentAgain(door: KeyDoor, hook: Hook, trigger: Trigger): string | undefined {
  const { binding } = trigger;
  const isSame = (one: Hook['bindings'][number]): boolean =>
    one.type === binding.type && nameOf(one) === nameOf(binding);
  const current = hook.bindings.find(isSame);
  if (current === undefined || trigger.type === 'ask') return undefined;
  if (trigger.type === 'schedule') return whatOf(triggered(door, hook.name, trigger.binding.name));
  // Of the same type as before.
  return whatOf(pushed(door, hook, { ...trigger, binding: current } as QueuedTrigger));
}

function nameOf(binding: object): unknown {
  return 'name' in binding ? binding.name : '';
}

function whatOf(sent: Sent): string {
  return sent.type === 'sent' ? sent.what : '';
}
