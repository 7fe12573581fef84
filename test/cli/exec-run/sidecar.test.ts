import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobClaim } from '../../../src/hook/job-desk.ts';
import { REMOTE_FILES } from '../../../src/hook/remote-run.ts';
import { RUN_FILES } from '../../../src/runner/workspace.ts';
import { runProgram } from '../../support/program.ts';
import { FakeDesk, openServer, podRig, refused } from '../../support/job-rig.ts';

const EMPTY = { patch: '', metrics: '', admission: '', conversion: '', result: '' };
const { outputs } = RUN_FILES;

/** A Pod with a sidecar that has brought the files of its run. */
async function brought(run: Partial<JobClaim> = {}) {
  const pod = podRig();
  const desk = new FakeDesk(run);
  const server = await openServer(desk);
  const program = pod.start(server.url, '--sidecar', '--folder', pod.runFolder);
  await expect.poll(() => existsSync(join(pod.runFolder, 'ready'))).toBe(true);
  return { pod, desk, server, program, file: (name: string) => join(pod.runFolder, name) };
}

describe('hooklet exec-run --sidecar', () => {
  it('brings the files of the run, which any user may read and write, and sends at SIGTERM what is in them', async () => {
    const { pod, desk, program, file } = await brought();

    expect(readFileSync(file('binding-context.json'), 'utf8')).toBe('[{"binding":"x"}]');
    for (const name of ['binding-context.json', ...Object.values(outputs)]) {
      expect(statSync(file(name)).mode & 0o777).toBe(0o666);
    }
    expect(statSync(pod.runFolder).mode & 0o777).toBe(0o777);
    for (const name of REMOTE_FILES) writeFileSync(file(outputs[name]), `of ${name}`);
    program.signal('SIGTERM');

    expect(await program.ended).toBe(0);
    const files = Object.fromEntries(REMOTE_FILES.map((name) => [name, `of ${name}`]));
    expect(desk.results).toEqual([{ type: 'files', files }]);
  });

  it('is ready when the files are there, and not before', async () => {
    const { pod } = await brought();
    const ready = async (folder: string) => (await runProgram(['exec-run', '--ready', '--folder', folder])).exitCode;

    expect(await ready(pod.path)).toBe(1);
    expect(await ready(pod.runFolder)).toBe(0);
  });

  it('leaves the files as they are when it is started again', async () => {
    const { pod, desk, server, program, file } = await brought();
    program.signal('SIGKILL');
    await program.ended;
    writeFileSync(file(outputs.patch), 'written');
    const again = pod.start(server.url, '--sidecar', '--folder', pod.runFolder);
    await expect.poll(() => desk.happened.filter((what) => what === 'claim')).toHaveLength(2);
    again.signal('SIGTERM');

    expect(await again.ended).toBe(0);
    expect(desk.results).toEqual([{ type: 'files', files: { ...EMPTY, patch: 'written' } }]);
  });

  it.each([
    ['a link', (path: string) => symlinkSync('/etc/passwd', path), 'is not a regular file'],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), 'is not a regular file'],
    ['a folder', (path: string) => mkdirSync(path), 'is not a regular file'],
    [
      'more than 4 MiB',
      (path: string) => (writeFileSync(path, ''), truncateSync(path, 4 * 1024 * 1024 + 1)),
      'METRICS_PATH has 4194305 bytes',
    ],
  ])('says that it could not read %s in place of a file', async (_what, make, problem) => {
    const { desk, program, file } = await brought();
    rmSync(file(outputs.metrics));
    make(file(outputs.metrics));
    program.signal('SIGTERM');

    expect(await program.ended).toBe(0);
    expect(desk.results).toEqual([{ type: 'unreadable', message: expect.stringContaining(problem) }]);
  });

  it('takes a file that is gone for an empty one', async () => {
    const { desk, program, file } = await brought();
    rmSync(file(outputs.metrics));
    program.signal('SIGTERM');

    expect(await program.ended).toBe(0);
    expect(desk.results).toEqual([{ type: 'files', files: EMPTY }]);
  });

  it('exits with 0 and is never ready when another Pod has the run', async () => {
    const pod = podRig();
    const server = await openServer(
      new FakeDesk({}).answering({ claim: async () => refused(409, 'another Pod has it') }),
    );

    expect((await pod.run(server.url, {}, { flags: { sidecar: true, folder: pod.runFolder } })).exitCode).toBe(0);
    expect(existsSync(pod.runFolder)).toBe(false);
  });

  it('ends when its run is given to another Pod', async () => {
    const pod = podRig();
    const desk = new FakeDesk({});
    const server = await openServer(desk);
    const running = pod.run(server.url, { beatMs: 50 }, { flags: { sidecar: true, folder: pod.runFolder } });
    await expect.poll(() => existsSync(join(pod.runFolder, 'ready'))).toBe(true);
    Object.assign(desk, { claim: async () => refused(410, 'the run has ended') });
    desk.run = { ...desk.run, epoch: 2 };

    expect(await running).toEqual({ exitCode: 0, output: expect.stringContaining('the run has ended (410)') });
  });

  it('says that the files could not be written', async () => {
    const pod = podRig();
    const desk = new FakeDesk({});
    const server = await openServer(desk);
    writeFileSync(pod.runFolder, 'a file');
    chmodSync(pod.runFolder, 0o600);
    const { exitCode } = await pod.run(server.url, {}, { flags: { sidecar: true, folder: pod.runFolder } });

    expect(exitCode).toBe(1);
    expect(desk.results).toMatchObject([
      { type: 'failed', by: 'environment', message: expect.stringContaining('could not be written to') },
    ]);
  });

  it('sends what is in the files for some time, and then exits with 1', async () => {
    const pod = podRig();
    const desk = new FakeDesk({});
    const server = await openServer(desk);
    const stop = new AbortController();
    const given = { flags: { sidecar: true, folder: pod.runFolder }, stop: stop.signal };
    const running = pod.run(server.url, { sidecarLimitMs: 300 }, given);
    await expect.poll(() => existsSync(join(pod.runFolder, 'ready'))).toBe(true);
    await server.close();
    stop.abort();

    expect(await running).toEqual({ exitCode: 1, output: expect.stringContaining('its result could not be sent') });
  });
});
