import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HookSettings } from '../../../src/hook/binding.ts';
import { packRecord } from '../../../src/run/kept-records.ts';
import { Recorder, type RecorderOptions } from '../../../src/run/recording/recorder.ts';
import { memoryPlace, RecordingStore } from '../../../src/run/recording/recording-store.ts';
import type { Execution } from '../../../src/runner/executor.ts';
import { hookWith, kubernetesBinding } from '../../support/bindings.ts';
import { builtThread } from '../../support/built-thread.ts';
import { never, temporaryFolder } from '../../support/hook-rig.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const outputs = { patch: '', metrics: '', result: '', admission: '', conversion: '' };

function recordOf(id: string, outcome: 'succeeded' | 'failed' = 'succeeded') {
  const time = '2026-01-05T00:00:00.000Z';
  const named = { id, hook: 'hook.sh', binding: 'pods', queue: 'main', reason: 'Added default/web' };
  const counted = { attempt: 1, objects: [], waitedMs: 0, patches: [], lines: 0 };
  return packRecord({ ...named, ...counted, queued: time, started: time, outcome }, []);
}

function threadFile(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return builtThread('run/recording/recording-thread.ts', folder.path);
}

/** A recorder, with a hook that writes these outputs. */
function rig(options: Partial<RecorderOptions> = {}) {
  const log = recordingLogger();
  const place = memoryPlace();
  const whole = { place, maxBytes: 2 ** 20, hooklet: '1.0.0', key: randomBytes(32), now: () => 1000, log };
  const recorder = new Recorder({ ...whole, hashOf: async () => 'hash', thread: '/nonexistent', ...options });
  const end = new AbortController();
  const running = recorder.run(end.signal);
  const run = async (number: number, contexts: string, written: object = {}, settings: HookSettings = {}) => {
    const execution: Execution = {
      type: 'exited',
      cost: { durationMs: 1, usage: {} },
      outputs: { ...outputs, ...written },
    };
    const { execute } = recorder.executor({ execute: async () => execution });
    const hook = { ...hookWith('hook.sh', [kubernetesBinding('pods')]), settings };
    const request = { hook, runId: idOf(number), contexts: [Buffer.from(contexts)], onOutput: () => {} };
    const ended = await execute(request, never);
    recorder.ended(recordOf(idOf(number)));
    return ended;
  };
  const finish = async (): Promise<void> => {
    end.abort();
    await running;
  };
  onTestFinished(finish);
  return { recorder, run, finish, log };
}

describe('the recorder', () => {
  it('packs what a hook was given and wrote in a thread, and is done at the end', async () => {
    const { recorder, run, finish } = rig({ thread: threadFile() });
    const execution = await run(1, '[{"binding":"pods"}]', { patch: '{"operation":"Delete","kind":"Pod","name":"a"}' });
    await finish();

    expect(execution.outputs?.patch).toContain('Delete');
    const bytes = await recorder.read(idOf(1));
    expect(JSON.parse(gunzipSync(bytes ?? '').toString())).toMatchObject({
      hook: { name: 'hook.sh', hash: 'hash' },
      contexts: [{ binding: 'pods' }],
      outputs: { patch: { documents: [{ operation: 'Delete', kind: 'Pod', name: 'a' }] } },
    });
    expect(recorder.state(idOf(1))).toEqual({ type: 'kept', bytes: bytes?.length });
  });

  it.each([
    ['contexts', 'x'.repeat(3000), {}],
    ['outputs', '[]', { result: 'x'.repeat(3000) }],
  ])('a run whose %s are too large is only noted, and runs as any other', async (_what, contexts, written) => {
    const { recorder, run } = rig({ limits: { runBytes: 3000 } });

    expect(await run(1, contexts, written)).toMatchObject({ type: 'exited', outputs: written });
    const why = expect.stringMatching(/^it has \d+ bytes, and at most 3000 of a run are recorded$/);
    expect(recorder.state(idOf(1))).toEqual({ type: 'none', why });
  });

  it('runs that come while too much is held are only noted', async () => {
    const { recorder, run } = rig({
      limits: { heldBytes: 5000, endMs: 50 },
      hashOf: async () => Promise.withResolvers<string>().promise,
    });
    await run(1, 'x'.repeat(2000));
    await run(2, 'x'.repeat(2000));

    expect(recorder.state(idOf(2))).toEqual({ type: 'none', why: 'too many other runs were being recorded' });
  });

  it('a thread that fails costs the runs that it had, and the next run gets a new one', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const thread = join(folder.path, 'thread.cjs');
    writeFileSync(thread, 'throw new Error("broken")');
    const { recorder, run, log, finish } = rig({ thread });
    await run(1, '[]');
    await expect.poll(() => recorder.state(idOf(1))).toEqual({ type: 'none', why: 'it could not be recorded' });
    expect(log.lines.map(({ message }) => message)).toEqual(['runs could not be recorded']);

    writeFileSync(
      thread,
      `const { parentPort } = require('node:worker_threads');
parentPort.on('message', (raw) => raw === null ? parentPort.close() : parentPort.postMessage({ type: 'recorded', id: raw.id, bytes: Buffer.from('x') }));`,
    );
    await run(2, '[]');
    await finish();
    expect(recorder.state(idOf(2))).toEqual({ type: 'kept', bytes: 1 });
  });

  it('a hook with record: false is not recorded', async () => {
    const { recorder, run } = rig();
    await run(1, '[]', {}, { record: false });

    expect(recorder.state(idOf(1))).toEqual({ type: 'none', why: 'settings.record of its hook is false' });
  });
});

describe('the room for recordings', () => {
  it('is never exceeded, and a run that did not fail goes before one that did, up to 3/4 of the room', async () => {
    const entries = fc.array(fc.record({ isFailed: fc.boolean(), size: fc.integer({ min: 1, max: 3000 }) }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(entries, async (runs) => {
        const place = memoryPlace();
        const store = new RecordingStore(place, 10_000);
        for (const [at, { isFailed, size }] of runs.entries()) {
          const before = await place.list();
          await store.add(idOf(at), new Uint8Array(size), { isFailed, endedAtMs: 1_700_000_000_000 + at });
          const after = await place.list();
          const names = new Set(after.map(({ name }) => name));
          const sizeOf = (all: typeof after) => all.reduce((sum, { bytes }) => sum + bytes + 300, 0);
          expect(sizeOf(after)).toBeLessThanOrEqual(10_000);
          const lostFailed = before.filter(({ name }) => name.includes('-f-') && !names.has(name));
          const failed = [...after.filter(({ name }) => name.includes('-f-')), ...lostFailed];
          if (lostFailed.length > 0) expect(sizeOf(failed)).toBeGreaterThan(7500);
        }
        const kept = (await place.list()).map(({ name }) => name);
        const known = runs.map((_, at) => store.state(idOf(at))).filter(({ type }) => type === 'kept');
        expect(known).toHaveLength(kept.length);
      }),
      { numRuns: 100 },
    );
  });

  it('takes over what an earlier process kept, and nothing else', async () => {
    const place = memoryPlace();
    const before = new RecordingStore(place, 10_000);
    await before.add(idOf(1), Buffer.from('x'), { isFailed: true, endedAtMs: 1_700_000_000_000 });
    await place.write('../../etc/passwd.json.gz', Buffer.from('y'));
    const after = new RecordingStore(place, 10_000);
    await after.fill();

    expect(Buffer.from((await after.read(idOf(1))) ?? '').toString()).toBe('x');
    expect(await after.read('../../etc/passwd')).toBeUndefined();
  });
});
