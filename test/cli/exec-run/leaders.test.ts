import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobClaim, JobDesk } from '../../../src/hook/job-desk.ts';
import { FakeDesk, openServer, podRig, refused, SHELL } from '../../support/job-rig.ts';

const WAITS = `${SHELL}echo "pid $$"; while [ ! -e "$HOOKLET_HOOKS_DIR/go" ]; do sleep 0.05; done; echo went; echo patch > "$KUBERNETES_PATCH_PATH"\n`;

/** A Pod whose hook waits until it may go on, and the desks of two replicas, of which the second does not lead. */
async function replicas(second: Partial<JobClaim> = { epoch: 2, hasContexts: false }, script = WAITS) {
  const pod = podRig({ 'hook.sh': script });
  const hookHash = pod.hashOf('hook.sh');
  const [a, b] = [new FakeDesk({ hookHash }), new FakeDesk({ hookHash, ...second })];
  b.knowsClaims = false;
  let leader = 'a';
  const serverA = await openServer(a);
  const serverB = await openServer(b, { refusal: () => (leader === 'b' ? undefined : 'another replica leads') });
  const urls = [serverB.url, serverA.url];
  return {
    pod,
    a,
    b,
    urls,
    /** The first replica is gone, and the second leads. */
    change: async (): Promise<void> => {
      leader = 'b';
      await serverA.close();
    },
    letGo: () => writeFileSync(join(pod.path, 'hooks', 'go'), ''),
  };
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

describe('a run whose leader changes', () => {
  it('is claimed anew while its hook runs, and the new leader gets its lines and its result', async () => {
    const { pod, a, b, urls, change, letGo } = await replicas();
    const program = pod.start(urls);
    await expect.poll(() => a.happened).toEqual(['claim', 'contexts', 'output']);
    await change();
    letGo();

    expect(await program.ended).toBe(0);
    expect(b.happened).toEqual(['claim', 'output', 'result']);
    expect(b.lines).toEqual([{ stream: 'stdout', line: 'went' }]);
    expect(b.results).toMatchObject([{ type: 'exited', files: { patch: 'patch\n' } }]);
    expect(program.stderr()).toContain('hooklet: the run was claimed anew, its epoch is 2\n');
  });

  it('is claimed anew also where its hook prints nothing', async () => {
    const { pod, a, b, urls, change, letGo } = await replicas();
    const running = pod.run(urls, { beatMs: 50 });
    await expect.poll(() => a.happened).toContain('output');
    await change();

    await expect.poll(() => b.happened).toEqual(['claim']);
    letGo();
    expect((await running).exitCode).toBe(0);
  });

  it('sends a result again that only the former leader has', async () => {
    const { pod, a, b, urls, change, letGo } = await replicas();
    a.isEnded = false;
    letGo();
    const program = pod.start(urls);
    await expect.poll(() => a.results.length).toBe(1);
    await change();

    expect(await program.ended).toBe(0);
    expect(b.happened).toEqual(['claim', 'result']);
    expect(b.results).toEqual(a.results);
  });

  it('sends a result of 50 MiB again, too', async () => {
    const script = `${WAITS}head -c 50M /dev/zero | tr "\\0" x > "$CONVERSION_RESPONSE_PATH"\n`;
    const { pod, a, b, urls, change, letGo } = await replicas(undefined, script);
    a.isEnded = false;
    letGo();
    const program = pod.start(urls);
    await expect.poll(() => a.results.length).toBe(1);
    await change();

    expect(await program.ended).toBe(0);
    expect(b.results).toMatchObject([{ type: 'exited' }]);
  });

  it('ends its hook and exits with 0 when the new leader gives it to nobody here', async () => {
    const ticks = `${SHELL}echo "pid $$"; while :; do sleep 0.1; echo tick; done\n`;
    const { pod, a, b, urls, change } = await replicas(undefined, ticks);
    Object.assign(b, { claim: async () => refused(409, 'another Pod has it') });
    const program = pod.start(urls);
    await expect.poll(() => a.lines.length).toBeGreaterThan(0);
    const pid = Number(a.lines[0]?.line.slice('pid '.length));
    expect(isRunning(pid)).toBe(true);
    await change();

    expect(await program.ended).toBe(0);
    expect(isRunning(pid)).toBe(false);
    expect(program.stderr()).toContain('is not run here any more: another Pod has it (409)\n');
    expect(b.results).toEqual([]);
  });

  it('is tried for some time with a leader that does not know it, and then given up', async () => {
    const { pod, a, b, urls, change } = await replicas();
    Object.assign(b, { claim: async () => refused(404, 'no such run') });
    const running = pod.run(urls, { beatMs: 50, unknownLimitMs: 300 });
    await expect.poll(() => a.lines.length).toBe(1);
    await change();

    expect(await running).toEqual({ exitCode: 0, output: expect.stringContaining('no such run (404)') });
  });
});

describe('a run whose operator is away', () => {
  it('goes on for 3 s without it, and its lines are there in order before its result', async () => {
    const pod = podRig({ 'hook.sh': `${SHELL}for i in $(seq 1 60); do echo "line $i"; sleep 0.05; done\n` });
    const desk = new FakeDesk({ hookHash: pod.hashOf('hook.sh') });
    const server = await openServer(desk);
    const program = pod.start(server.url);
    await expect.poll(() => desk.lines.length).toBeGreaterThan(0);
    await server.close();
    await new Promise((resolve) => {
      setTimeout(resolve, 3000);
    });
    await openServer(desk, { port: server.port });

    expect(await program.ended).toBe(0);
    expect(desk.lines.map(({ line }) => line)).toEqual(Array.from({ length: 60 }, (_, index) => `line ${index + 1}`));
    expect(desk.happened.at(-1)).toBe('result');
    expect(program.stderr().match(/cannot be reached/g)).toHaveLength(1);
  });

  it('keeps the last MiB of its lines, and says how many are not there', async () => {
    // Each of these characters is one byte of the hook, and six of the line as it is sent.
    const escaped = `$(printf '\\001%.0s' $(seq 1 60))`;
    const pod = podRig({ 'hook.sh': `${SHELL}echo first; sleep 0.5; seq -f "${escaped}line %g" 1 3000\n` });
    const desk = new FakeDesk({ hookHash: pod.hashOf('hook.sh') });
    const server = await openServer(desk);
    const program = pod.start(server.url);
    await expect.poll(() => desk.lines.length).toBe(1);
    await server.close();
    await program.says('line 3000');
    await openServer(desk, { port: server.port });

    expect(await program.ended).toBe(0);
    const dropped = desk.lines.find(({ line }) => line.includes('lines were dropped here'));
    const count = Number(/\d+/.exec(dropped?.line ?? '')?.[0]);
    expect(count).toBeGreaterThan(0);
    expect(desk.lines.length + count).toBe(3002);
    expect(desk.lines.at(-1)?.line).toMatch(/line 3000$/);
  });

  it('gives its result up after a time, says why, and exits with 1', async () => {
    const pod = podRig({ 'hook.sh': `${SHELL}exit 0\n` });
    const desk = new FakeDesk({ hookHash: pod.hashOf('hook.sh') });
    const server = await openServer(desk.answering({ result: () => refused(503, 'it has just begun to lead') }));
    const { exitCode, output } = await pod.run(server.url, { resultLimitMs: 300 });

    expect(exitCode).toBe(1);
    expect(output).toMatch(/its result could not be sent: .* answered 503: it has just begun to lead/);
  });

  it('sends a failure in place of a result that is refused', async () => {
    const pod = podRig({ 'hook.sh': `${SHELL}exit 0\n` });
    const desk = new FakeDesk({ hookHash: pod.hashOf('hook.sh') });
    const server = await openServer(desk);
    const { result } = desk;
    const answer: JobDesk['result'] = (ticket, got) =>
      got.type === 'exited' ? Object.assign(refused(403), { status: 413 }) : result(ticket, got);
    Object.assign(desk, { result: answer });
    const { exitCode } = await pod.run(server.url);

    expect(exitCode).toBe(1);
    expect(desk.results).toMatchObject([{ type: 'failed', by: 'output' }]);
  });
});
