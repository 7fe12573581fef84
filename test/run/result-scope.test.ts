import { expect, it } from 'vitest';
import { writeContexts } from '../../src/hook/context.ts';
import type { Task } from '../../src/hook/task.ts';
import { resultScope } from '../../src/run/result-scope.ts';
import { hookWith, kubernetesBinding, onStartupBinding, scheduleBinding, tickOf } from '../support/bindings.ts';
import { eventOf } from '../support/unit-rig.ts';

it('a result may speak of each context of the file, in its order', () => {
  const pods = kubernetesBinding('pods', { apiVersion: 'v1' });
  const nodes = kubernetesBinding('nodes', { kind: 'Node' });
  const grouped = kubernetesBinding('grouped', { group: 'all' });
  const hook = hookWith('hook.sh', [pods, nodes, grouped]);
  const triggers: Task['triggers'] = [
    eventOf(pods, 'web'),
    eventOf(grouped, 'one'),
    eventOf(grouped, 'two'),
    eventOf(nodes, 'web'),
    tickOf(scheduleBinding('nightly')),
    { type: 'synchronization', binding: pods },
    { type: 'onStartup', binding: onStartupBinding },
    eventOf(pods, 'web'),
  ];

  const { contexts } = resultScope({ triggers });

  const written = JSON.parse(Buffer.concat(writeContexts({ hook, triggers }, () => [])).toString());
  expect(contexts).toHaveLength(written.length);
  expect(contexts.map(({ object }) => object)).toEqual([
    'v1 Pod default/web',
    undefined,
    ' Node default/web',
    undefined,
    undefined,
    undefined,
    'v1 Pod default/web',
  ]);
});
