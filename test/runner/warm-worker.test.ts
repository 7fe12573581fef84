import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WarmServer } from '../../src/runner/warm-server.ts';
import { WarmWorker } from '../../src/runner/warm-worker.ts';
import { hookRig, hooksDir } from '../support/hook-rig.ts';

const output = { onLine: () => {}, onLog: () => {} };

async function openWorker(
  rig: ReturnType<typeof hookRig>,
  path = join(hooksDir, 'run-warm.ts'),
  helloLimitMs?: number,
) {
  const server = new WarmServer(rig.folder, helloLimitMs);
  await server.open();
  const worker = new WarmWorker({ spawner: rig.spawner, server, path, env: {}, onLine: () => {} });
  return { server, worker };
}

function contextsOf(action: string): readonly Uint8Array[] {
  const object = { metadata: { name: 'x' }, do: action };
  return [Buffer.from(JSON.stringify([{ binding: 'commands', type: 'Event', watchEvent: 'Added', object }]))];
}

describe('WarmWorker', () => {
  it('finishes the runs it has before it goes', async () => {
    await using rig = hookRig();
    const { server, worker } = await openWorker(rig);
    await worker.loaded;
    const { outcome } = worker.run({ contexts: contextsOf('grow'), runId: 'run-1' }, output);

    worker.retire();

    expect(await outcome).toMatchObject({ type: 'done' });
    expect(await worker.ended).toMatchObject({ signal: 'SIGTERM' });
    await server.close();
  });

  it('goes at once when it has none', async () => {
    await using rig = hookRig();
    const { server, worker } = await openWorker(rig);
    await worker.loaded;

    worker.retire();

    expect(worker.isRetired).toBe(true);
    expect(await worker.ended).toMatchObject({ signal: 'SIGTERM' });
    await server.close();
  });

  it('settles every run when its process has ended', async () => {
    await using rig = hookRig();
    const { server, worker } = await openWorker(rig);
    await worker.loaded;
    const runs = ['wait', 'wait'].map(
      (action) => worker.run({ contexts: contextsOf(action), runId: 'run-1' }, output).outcome,
    );

    worker.terminate();

    expect(await Promise.all(runs)).toMatchObject([{ type: 'ended' }, { type: 'ended' }]);
    expect(worker.isIdle).toBe(true);
    expect(await worker.run({ contexts: contextsOf('answer'), runId: 'run-1' }, output).outcome).toMatchObject({
      type: 'ended',
    });
    await server.close();
  });

  it('settles what waits for the module when the process ends before', async () => {
    await using rig = hookRig();
    const path = join(rig.folder, 'hook.ts');
    writeFileSync(path, 'await new Promise((resolve) => setTimeout(resolve, 600_000));\n');
    const { server, worker } = await openWorker(rig, path);

    worker.terminate();

    expect(await worker.loaded).toMatchObject({ type: 'ended' });
    await server.close();
  });

  it('loads a module that takes longer than the time to say hello', async () => {
    await using rig = hookRig();
    const path = join(rig.folder, 'hook.ts');
    const work = 'const end = Date.now() + 3000; while (Date.now() < end);';
    const hook = `import { defineHook, onStartup } from 'hooklet';
${work}
export default defineHook({ bindings: { start: onStartup(1) }, run() {} });
`;
    writeFileSync(path, hook);
    const { server, worker } = await openWorker(rig, path, 1500);

    expect(await worker.loaded).toMatchObject({ type: 'ready' });
    worker.terminate();
    await server.close();
  });

  it('counts its runs', async () => {
    await using rig = hookRig();
    const { server, worker } = await openWorker(rig);
    await worker.loaded;

    await worker.run({ contexts: contextsOf('answer'), runId: 'run-1' }, output).outcome;
    await worker.run({ contexts: contextsOf('throw'), runId: 'run-1' }, output).outcome;

    expect(worker.runs).toBe(2);
    worker.terminate();
    await worker.ended;
    await server.close();
  });
});
