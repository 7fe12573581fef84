import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UsageError } from '../../src/errors.ts';
import { createControlServer } from '../../src/server/control-server.ts';
import { fakeSchedules, scheduleStatus } from '../support/fake-schedules.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingLogger } from '../support/recording-logger.ts';

function rig({ isRequired = true } = {}) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const log = recordingLogger();
  const path = join(folder.path, 'hooklet.socket');
  const schedules = fakeSchedules(scheduleStatus());
  return { path, log, schedules, options: { path, isRequired, schedules, refusal: () => undefined, log } };
}

async function ask(socketPath: string, method: string, path: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  request({ socketPath, method, path }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

describe('the control server', () => {
  it('answers on its socket until it ends, and the file goes with it', async () => {
    const { path, options, schedules } = rig();
    const controller = new AbortController();
    const running = (await createControlServer(options)).run(controller.signal);

    const listed = await ask(path, 'GET', '/schedules?x=y');
    const triggered = await ask(path, 'POST', '/schedules/db%2Fbackup.sh/nightly/trigger');
    controller.abort();
    await running;

    expect(JSON.parse(listed.body)).toMatchObject({ schedules: [{ binding: 'nightly' }] });
    expect(triggered).toEqual({ status: 202, body: '{"runId":"run-1"}\n' });
    expect(schedules.asked).toEqual(['trigger db/backup.sh nightly']);
    expect(existsSync(path)).toBe(false);
  });

  it('a bug while answering is logged, and answered without its details', async () => {
    const { path, options, log, schedules } = rig();
    const controller = new AbortController();
    const broken = { ...schedules, list: () => schedules.statuses.map(() => JSON.parse('{')) };
    const running = (await createControlServer({ ...options, schedules: broken })).run(controller.signal);

    const answer = await ask(path, 'GET', '/schedules');
    controller.abort();
    await running;

    expect(answer).toEqual({ status: 500, body: '{"error":"internal error"}\n' });
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('ends at once although clients hold connections on which they ask nothing, or half of something', async () => {
    const { path, options } = rig();
    const controller = new AbortController();
    const running = (await createControlServer(options)).run(controller.signal);
    const clients = [connect(path), connect(path)];
    clients[1]?.write('GET /sched');
    const closed = Promise.all(
      clients.map(async (client) =>
        once(
          client.on('error', () => {}),
          'close',
        ),
      ),
    );
    await ask(path, 'GET', '/schedules');

    const startedAtMs = performance.now();
    controller.abort();
    await running;

    // Less than the time that pending requests get.
    expect(performance.now() - startedAtMs).toBeLessThan(400);
    await closed;
  });

  it('a path that was asked for and that another one has is a wrong use', async () => {
    const { options } = rig();
    const controller = new AbortController();
    const running = (await createControlServer(options)).run(controller.signal);

    const second = createControlServer(options);

    await expect(second).rejects.toThrow(UsageError);
    await expect(second).rejects.toThrow(/^--debug-unix-socket: another process listens on /);
    controller.abort();
    await running;
  });

  it('hooks go on without it when the default path is taken, or cannot be created', async () => {
    const { options, log } = rig({ isRequired: false });
    const controller = new AbortController();
    const running = (await createControlServer(options)).run(controller.signal);
    const elsewhere = { ...options, isRequired: true, path: join(options.path, 'no', 'hooklet.socket') };

    await (await createControlServer(options)).run(controller.signal);
    await (await createControlServer(elsewhere)).run(controller.signal);
    controller.abort();
    await running;

    expect(log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'no control socket, hooklet status, schedule and the like do not work',
      'no control socket, hooklet status, schedule and the like do not work',
    ]);
  });
});
