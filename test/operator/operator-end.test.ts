import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const messages = ({ lines }: { readonly lines: readonly { readonly message: string }[] }) =>
  lines.map(({ message }) => message);

describe('the end of the operator', () => {
  it('comes at once while hooks are asked for their config, and calls none of them broken', async () => {
    const sandbox = await sandboxForTest();
    const operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'slow.sh': '#!/bin/sh\n: > "$OUT/began"\nsleep 60\n',
        'a.sh': recordingHook({ configVersion: 'v1', kubernetes: [{ apiVersion: 'v1', kind: 'ConfigMap' }] }),
      },
    });
    await until(() => expect(existsSync(join(operator.out, 'began'))).toBe(true));

    await operator.stop();

    expect(messages(operator)).not.toContain('hook is broken and does not run');
  });

  it('tells of a run that failed meanwhile', async () => {
    const sandbox = await sandboxForTest();
    const body = ': > "$OUT/began"\nwhile ! [ -e "$OUT/go" ]; do sleep 0.01; done\nexit 3';
    const operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'bad.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, body) },
      operator: { gracePeriodMs: 60_000 },
    });
    await until(() => expect(existsSync(join(operator.out, 'began'))).toBe(true));

    const stopped = operator.stop();
    operator.change('../out/go', 'x');
    await stopped;

    const line = operator.lines.find(({ message }) => message.startsWith('hook failed while shutting down'));
    expect(line?.fields).toMatchObject({ hook: 'bad.sh', queue: 'main', event: 'onStartup' });
    expect(String(line?.fields.err)).toContain('code 3');
  });

  it('does not come when the hooks folder goes away: its hooks go on, and it is looked at again when it is back', async () => {
    const sandbox = await sandboxForTest();
    const kubernetes = [{ apiVersion: 'v1', kind: 'ConfigMap', executeHookOnSynchronization: false }];
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', kubernetes }), 'b.sh': '' },
    });
    await until(async () =>
      expect(await (await fetch(`${operator.url()}/readyz?verbose`)).text()).toContain('[+]hook a.sh ok'),
    );
    const hooksDir = join(operator.out, '..', 'hooks');

    renameSync(hooksDir, `${hooksDir}-away`);
    operator.change('../out/seen', '');
    const error = 'the hooks cannot be loaded again, those that are loaded keep running';
    await until(() => expect(messages(operator)).toContain(error));
    renameSync(`${hooksDir}-away`, hooksDir);
    operator.change('b.sh');
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    await sandbox.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new', namespace: 'default' } });

    await until(() => expect(operator.runs('a.sh')).toHaveLength(1));
    await operator.stop();
    expect(readdirSync(join(operator.out, '..', 'tmp'))).toEqual([]);
  });
});

describe('a warm hook', () => {
  it('is loaded again when a module it imports is edited', async () => {
    const sandbox = await sandboxForTest();
    const hook = (text: string) => `export const text = '${text}';\n`;
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'lib/text.ts': hook('first'),
        'warm.ts': `import { defineHook, onStartup } from 'hooklet';
import { text } from './lib/text.ts';
export default defineHook({ bindings: { start: onStartup(1) }, run: () => console.log('said ' + text) });
`,
      },
    });
    await until(() => expect(operator.lines.map(({ fields }) => fields['line'])).toContain('said first'));

    operator.change('lib/text.ts', hook('second'));

    await until(() => expect(operator.lines.map(({ fields }) => fields['line'])).toContain('said second'));
  });
});
