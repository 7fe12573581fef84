import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxOptions } from '@hooklet/sandbox';
import { asking, sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import type { OperatorOptions } from '../../src/operator/run-operator.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';
import { startWebhooks } from '../support/webhook-rig.ts';

/** A test starts an operator with real processes, on a machine that may be busy. */
const LIMIT_MS = 120_000;
const TOKEN = 'a-very-secret-token';
const PATH = '/trigger/ci/deploy.sh/deploy';

const config = (more: object = {}) => ({ configVersion: 'v1', http: [{ name: 'deploy', ...more }] });

/** Waits until the file `$OUT/go` is there. */
const WAITS = 'while [ ! -e "$OUT/go" ]; do sleep 0.02; done';

interface RigOptions {
  readonly binding?: object;
  readonly body?: string;
  readonly sandbox?: SandboxOptions;
  readonly operator?: Partial<OperatorOptions>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Rig extends AsyncDisposable {
  readonly operator: OperatorRig;
  readonly control: ReturnType<typeof controlClient>;
  readonly post: (path?: string, init?: RequestInit) => Promise<Answer>;
}

async function rig({ binding, body, sandbox: kind, operator: options, env }: RigOptions = {}): Promise<Rig> {
  const sandbox = await sandboxForTest(kind);
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = join(folder.path, 'hooklet.socket');
  const operator = startOperator({
    connect: sandboxCluster(sandbox),
    hooks: { 'ci/deploy.sh': recordingHook(config(binding), body) },
    ...(env && { env }),
    operator: { httpTriggers: true, controlSocket: { path, isRequired: true }, ...options },
  });
  const post = async (at = PATH, init: RequestInit = {}): Promise<Answer> => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...Object(init.headers) };
    const response = await fetch(`${operator.url()}${at}`, { method: 'POST', ...init, headers });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : { text } };
  };
  return {
    operator,
    control: controlClient(path),
    post,
    [Symbol.asyncDispose]: async () => operator[Symbol.asyncDispose](),
  };
}

async function ready({ operator }: Pick<Rig, 'operator'>): Promise<void> {
  await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
}

describe('a request to an http binding', { timeout: LIMIT_MS }, () => {
  it('runs the hook with its body, and its token is nowhere to be found', async () => {
    await using it = await rig({ body: 'env; cat "$BINDING_CONTEXT_PATH"' });
    await ready(it);
    const headers = { 'content-type': 'application/json', 'x-event': 'push' };

    const { status, body } = await it.post(`${PATH}?a=1`, { headers, body: '{"n":12345678901234567890}' });

    expect({ status, body }).toEqual({ status: 202, body: { runId: expect.any(String) } });
    const { runId } = body;
    await until(() => expect(it.operator.contexts('deploy.sh')).toHaveLength(1));
    expect(it.operator.contexts('deploy.sh')).toEqual([
      {
        binding: 'deploy',
        type: 'Http',
        runId,
        caller: expect.any(String),
        receivedAt: expect.stringMatching(/Z$/),
        request: {
          method: 'POST',
          path: PATH,
          query: { a: '1' },
          headers: expect.objectContaining({ 'x-event': 'push' }),
          body: '{"n":12345678901234567890}',
          json: expect.anything(),
        },
      },
    ]);
    const isOver = async () => {
      const { runs } = await it.control.ask('GET', '/runs');
      expect(JSON.stringify(runs)).toContain('succeeded');
      return runs;
    };
    await until(async () => void (await isOver()));
    const [run] = Array.from(Object(await isOver()));
    const record = await it.control.ask('GET', `/runs/${Object(run).id}`);
    const told = JSON.stringify([it.operator.lines, it.operator.contexts('deploy.sh'), run, record]);
    expect(told).toContain('push');
    expect(told).not.toContain(TOKEN);
  });

  it('with ?wait is answered when its run has succeeded, or has failed for good', async () => {
    const body = `if grep -q bad "$BINDING_CONTEXT_PATH"; then exit 3; fi`;
    await using it = await rig({ body, binding: { allowFailure: true } });
    await ready(it);

    expect(await it.post(`${PATH}?wait=60s`, { body: 'good' })).toEqual({
      status: 200,
      body: { runId: expect.any(String), outcome: 'succeeded' },
    });
    expect(await it.post(`${PATH}?wait=60s`, { body: 'bad' })).toEqual({
      status: 500,
      body: { runId: expect.any(String), outcome: 'failed', message: expect.stringContaining('exit code 3') },
    });
  });

  it('with ?wait is answered 202 when its run takes longer, or is tried again, with why it failed', async () => {
    await using it = await rig({ body: `if grep -q bad "$BINDING_CONTEXT_PATH"; then exit 3; fi; exec sleep 600` });
    await ready(it);

    const { status, body } = await it.post(`${PATH}?wait=3s`, { body: 'bad' });
    expect({ status, body }).toEqual({
      status: 202,
      body: { runId: expect.any(String), lastError: expect.stringContaining('exit code 3') },
    });
    const { run } = await it.control.ask('GET', `/runs/${String(body['runId'])}`);
    expect(run).toMatchObject({ hook: 'ci/deploy.sh', requestIds: [body['runId']] });
    const slow = await it.post(`${PATH}?wait=1s`);
    expect(slow).toEqual({ status: 202, body: { runId: expect.any(String) } });
  });

  it('is refused with 401, 403, 404, 405 and 413, and the hook does not run', async () => {
    const authorize = ({ verb, group, resource, name }: Readonly<Record<string, string>>) =>
      `${verb} ${resource}.${group} ${name}` !== 'trigger hooks.hooklet.dev ci/deploy.sh';
    await using it = await rig({ sandbox: { authorize: (asked) => authorize({ ...asked }) } });
    await ready(it);

    expect(await it.post(PATH, { headers: { authorization: '' } })).toMatchObject({ status: 401 });
    expect(await it.post()).toMatchObject({ status: 403, body: { error: expect.stringContaining('may not trigger') } });
    expect(await it.post('/trigger/ci/deploy.sh/other')).toMatchObject({ status: 404 });
    expect((await fetch(`${it.operator.url()}${PATH}`)).status).toBe(405);
    const large = { body: 'x'.repeat(1024 * 1024 + 1) };
    expect(await it.post(PATH, large)).toMatchObject({ status: 403 });
    expect(it.operator.contexts('deploy.sh')).toEqual([]);
    await using known = await rig();
    await ready(known);
    expect(await known.post(PATH, large)).toMatchObject({ status: 413 });
    expect(known.operator.contexts('deploy.sh')).toEqual([]);
  });

  it('of GitHub is taken when its signature is that of the secret in the file', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const secretFile = join(folder.path, 'secret');
    writeFileSync(secretFile, 'hush\n');
    await using it = await rig({ binding: { authentication: { type: 'github', secretFile } } });
    await ready(it);
    const body = '{"ref":"main"}';
    const signed = (secret: string) => ({
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    });

    expect(await it.post(`${PATH}?wait=60s`, { headers: signed('hush'), body })).toMatchObject({ status: 200 });
    expect(await it.post(PATH, { headers: signed('other'), body })).toMatchObject({ status: 401 });
    expect(it.operator.contexts('deploy.sh')).toMatchObject([{ caller: 'github', request: { body } }]);
  });

  it('whose secret is not there is refused, which the log says when the hook is loaded', async () => {
    await using it = await rig({ binding: { authentication: { type: 'github', secretFile: '/nowhere/secret' } } });

    await until(() =>
      expect(it.operator.lines).toContainEqual({
        level: 'warn',
        message: 'the secret cannot be read, callers are answered 503',
        fields: { hook: 'ci/deploy.sh', binding: 'deploy', err: expect.any(Error) },
      }),
    );
    await ready(it);
    expect((await fetch(`${it.operator.url()}${PATH}`, { method: 'POST' })).headers.get('www-authenticate')).toBe(null);
  });

  it('whose secret is a pipe that nobody writes is answered 503, and the log says so once', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const secretFile = join(folder.path, 'pipe');
    execFileSync('mkfifo', [secretFile]);
    await using it = await rig({ binding: { authentication: { type: 'github', secretFile } } });
    await ready(it);

    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    const answers = await Promise.all(Array.from({ length: 8 }, async () => it.post(PATH, { headers })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 503));
    const warned = it.operator.lines.filter(({ message }) => message === 'the caller cannot be checked');
    expect(warned).toHaveLength(1);
    expect(String(warned[0]?.fields['err'])).toContain('is not a file');
  });

  it('is one of 60 at once that wait, and probes are answered meanwhile', async () => {
    const rateLimit = { perMinute: 1000, burst: 100 };
    await using it = await rig({ binding: { rateLimit }, body: WAITS });
    await ready(it);

    const waiting = Array.from({ length: 60 }, async (_, n) => it.post(`${PATH}?wait=60s`, { body: String(n) }));
    await until(() => expect(it.operator.contexts('deploy.sh').length).toBeGreaterThan(0));
    expect((await fetch(`${it.operator.url()}/healthz`)).status).toBe(200);
    writeFileSync(join(it.operator.out, 'go'), '');

    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 60 }, () => 200));
    const bodies = it.operator.contexts('deploy.sh').map(({ request }) => Number(Object(request).body));
    expect(bodies.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, n) => n));
  });

  it('that waits when the operator stops learns the end of its run, or that it was not run', async () => {
    await using it = await rig({ body: WAITS });
    await ready(it);
    const running = it.post(`${PATH}?wait=60s`, { body: 'first' });
    await until(() => expect(it.operator.contexts('deploy.sh')).toHaveLength(1));
    const queued = it.post(`${PATH}?wait=60s`, { body: 'second' });
    await until(async () => {
      const text = await (await fetch(`${it.operator.url()}/metrics`)).text();
      expect(text).toMatch(/tasks_queue_length\{queue="main"\} 2/);
    });

    const stopped = it.operator.stop();

    expect(await queued).toMatchObject({ status: 500, body: { outcome: 'dropped' } });
    expect(await it.post()).toMatchObject({ status: 503, body: { error: 'the operator stops' } });
    writeFileSync(join(it.operator.out, 'go'), '');
    expect(await running).toMatchObject({ status: 200, body: { outcome: 'succeeded' } });
    await stopped;
    expect(it.operator.contexts('deploy.sh')).toHaveLength(1);
  });

  it('that waits when its hook is changed learns that it was not run', async () => {
    await using it = await rig({ body: WAITS });
    await ready(it);
    const running = it.post(`${PATH}?wait=60s`, { body: 'first' });
    await until(() => expect(it.operator.contexts('deploy.sh')).toHaveLength(1));
    const queued = it.post(`${PATH}?wait=60s`, { body: 'second' });
    await until(async () => {
      const text = await (await fetch(`${it.operator.url()}/metrics`)).text();
      expect(text).toMatch(/tasks_queue_length\{queue="main"\} 2/);
    });

    it.operator.change('ci/deploy.sh', recordingHook(config(), ': changed'));

    expect(await queued).toMatchObject({ status: 500, body: { outcome: 'dropped' } });
    writeFileSync(join(it.operator.out, 'go'), '');
    expect(await running).toMatchObject({ status: 200 });
    expect(await it.post(`${PATH}?wait=60s`, { body: 'third' })).toMatchObject({ status: 200 });
  });

  it('of a paused hook waits for the end of the pause', async () => {
    await using it = await rig();
    await ready(it);
    await it.control.ask('POST', '/pauses/pause?hook=ci/deploy.sh');

    expect(await it.post(`${PATH}?wait=100ms`, { body: 'held' })).toMatchObject({ status: 202 });
    const waiting = it.post(`${PATH}?wait=60s`, { body: 'held too' });
    await until(async () => {
      expect(await it.control.ask('GET', '/pauses')).toMatchObject({ pauses: [{ held: 2 }] });
    });
    expect(it.operator.contexts('deploy.sh')).toEqual([]);
    await it.control.ask('POST', '/pauses/resume?hook=ci/deploy.sh');

    expect(await waiting).toMatchObject({ status: 200 });
    expect(it.operator.contexts('deploy.sh')).toHaveLength(2);
  });

  it('is answered 503 by a replica that stands by', async () => {
    const leaderElection = { leaseName: 'x', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 200 };
    const sandbox = await sandboxForTest();
    const lease = { holderIdentity: 'other_1', leaseDurationSeconds: 3600, renewTime: '2199-01-01T00:00:00.000000Z' };
    await asking(sandbox)('POST', '/apis/coordination.k8s.io/v1/namespaces/default/leases', {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'x' },
      spec: lease,
    });
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook(config()) },
      operator: { httpTriggers: true, leaderElection },
    });
    await ready({ operator });

    const headers = { authorization: `Bearer ${TOKEN}` };
    await until(async () => {
      const response = await fetch(`${operator.url()}/trigger/a.sh/deploy`, { method: 'POST', headers });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.text()).toContain('this replica stands by');
    });
  });

  it('finds nothing on the port of metrics without --http-triggers', async () => {
    await using it = await rig({ operator: { httpTriggers: false } });
    await ready(it);

    expect(await it.post()).toMatchObject({ status: 405 });
  });
});

/** A request to the HTTPS port of webhooks, whose certificate is not checked. */
async function postTls(port: number, path: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const target = { host: '127.0.0.1', port, path, method: 'POST', headers, agent: false, rejectUnauthorized: false };
  const out = httpsRequest(target, (response) => {
    json(response).then((body) => resolve({ status: response.statusCode ?? 0, body: Object(body) }), reject);
  });
  out.on('error', reject);
  out.end('hello');
  return promise;
}

describe('an http binding', { timeout: LIMIT_MS }, () => {
  it('in a cluster is served by HTTPS with a certificate that hooklet makes, and nothing is registered', async () => {
    const sandbox = await sandboxForTest();
    await using it = await startWebhooks({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook(config()) },
      env: { POD_NAMESPACE: 'default' },
      settings: { certificates: { type: 'self' }, url: '' },
    });
    await until(async () => {
      expect(await postTls(it.port, '/trigger/a.sh/deploy?wait=60s')).toMatchObject({ status: 200 });
    });

    expect(it.contexts('a.sh')).toMatchObject([{ type: 'Http', request: { body: 'hello' } }]);
    for (const kind of ['validating', 'mutating']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
      expect((await asking(sandbox)('GET', path)).body).toMatchObject({ items: [] });
    }
    await ready({ operator: it });
  });

  it('outside of a cluster opens no HTTPS port, makes no Secret, and the hook runs', async () => {
    const sandbox = await sandboxForTest();
    const both = { ...config(), onStartup: 1 };
    await using it = await startWebhooks({
      connect: sandboxCluster(sandbox),
      hooks: { 'a.sh': recordingHook(both) },
      settings: { certificates: { type: 'auto' } },
    });
    await ready({ operator: it });

    await until(() => expect(it.contexts('a.sh')).toHaveLength(1));
    await expect(postTls(it.port, '/trigger/a.sh/deploy')).rejects.toThrow('ECONNREFUSED');
    expect((await asking(sandbox)('GET', '/api/v1/secrets')).body).toMatchObject({ items: [] });
  });
});
