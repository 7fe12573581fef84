import type { DebugView, RuntimeParameter } from '../../src/hook/debug-view.ts';
import { UsageError } from '../../src/errors.ts';
import { kubernetesBinding } from './bindings.ts';

const NONE = { added: 0, deleted: 0, modified: 0, cleaned: 0 };

/** What an operator with two hooks shows; `set` has what was set. */
export function fakeDebugView(): DebugView & { readonly set: string[] } {
  const set: string[] = [];
  const parameter: RuntimeParameter = { name: 'log.level', description: 'Level', default: 'info', value: 'info' };
  const snapshot = { namespace: 'default', name: 'a', object: Buffer.from('{"kind":"Pod","data":{"x":"<y>"}}') };
  return {
    set,
    queues: () => [
      { name: 'main', length: 1, status: 'run first task', tasks: ['HookRun:main:onStartup:a.sh'] },
      { name: 'q', length: 0, status: '', tasks: [] },
    ],
    hooks: () => ['a.sh', 'db/a b.sh'],
    snapshots: (hook) =>
      hook === 'a.sh'
        ? []
        : hook === 'db/a b.sh'
          ? [{ binding: kubernetesBinding('pods'), snapshot: [snapshot], sinceStart: NONE, sinceLastExecution: NONE }]
          : undefined,
    config: {
      list: () => [parameter],
      set(name, value, durationMs) {
        if (name !== 'log.level') throw new UsageError(`unknown runtime parameter "${name}"`);
        set.push(`${value} ${String(durationMs)}`);
      },
    },
  };
}
