import { rmSync, writeFileSync } from 'node:fs';
import type { ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCertificate } from '../../support/certificate.ts';
import { certificate } from '../../support/job-rig.ts';
import { startRelay, startSlowRelay } from '../../support/tcp-relay.ts';
import { openOperator, SHELL, workerRig } from '../../support/worker-rig.ts';

const HOOK = { 'hook.sh': `${SHELL}exit 0\n` };
const MIB = 1024 * 1024;
const SLOW = { timeout: 20_000 };

async function listening(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A TLS server for HTTP/2 which answers a request with whatever `answer` writes. */
async function answeringWith(answer: (socket: Socket) => void): Promise<string> {
  const server = createTlsServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  return listening(server);
}

async function nobody(): Promise<string> {
  const server = createTcpServer();
  const url = await listening(server);
  server.close();
  return url;
}

const QUICK = { connectLimitMs: 300, sayEveryMs: 0 };

describe('what a worker asks', () => {
  it('is answered by the replica that leads, at whichever URL and address it is', async () => {
    const rig = workerRig(HOOK);
    const standby = await openOperator();
    standby.refusal = 'another replica leads';
    const leader = await openOperator();
    rig.work([await nobody(), standby.url, `https://localhost:${leader.port}`]);
    leader.hand(rig.runOf('r1', 'hook.sh'));

    await expect.poll(() => leader.of('r1').results, SLOW).toMatchObject([{ type: 'exited' }]);
    expect(standby.happened).toEqual([]);
  });

  it('goes to the next leader, after all runs of the former one have ended here', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}echo $$; while [ ! -e "$GO/$RUN_ID" ]; do sleep 0.02; done\n` });
    const former = await openOperator({ beatMs: 50 });
    const next = await openOperator({ beatMs: 50 });
    next.refusal = 'another replica leads';
    rig.work([former.url, next.url]);
    former.hand(rig.runOf('r1', 'hook.sh'));
    await expect.poll(() => former.of('r1').lines, SLOW).toHaveLength(1);
    former.refusal = 'another replica leads';
    next.refusal = undefined;
    next.hand(rig.runOf('r2', 'hook.sh'));

    await expect.poll(() => next.of('r2').lines, SLOW).toHaveLength(1);
    expect(next.happened[0]).toBe('hello');
    expect(former.of('r1').results).toEqual([]);
    expect(next.beats.flat().map(({ runId }) => runId)).not.toContain('r1');
  });

  it('uses one connection for what may be long and one for all else, and others when those are cut', async () => {
    const rig = workerRig(HOOK);
    const operator = await openOperator({ beatMs: 50 });
    rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));
    await expect.poll(() => operator.of('r1').results, SLOW).toHaveLength(1);
    expect(operator.sessions.size).toBe(2);
    const claims = operator.frees.length;
    operator.cut();
    await expect.poll(() => operator.frees.length, SLOW).toBeGreaterThan(claims);
    operator.hand(rig.runOf('r2', 'hook.sh'));

    await expect.poll(() => operator.of('r2').results, SLOW).toHaveLength(1);
    expect(operator.sessions.size).toBe(2);
    expect(operator.hellos).toHaveLength(1);
  });

  it.each(['contexts', 'a result'])(
    'is heard in time while 4 MiB of %s go over a network that takes 1 MiB a second',
    { timeout: 60_000 },
    async (what) => {
      const write = what === 'contexts' ? 'exit 0' : `head -c 4M /dev/zero > "$CONVERSION_RESPONSE_PATH"`;
      const rig = workerRig({ 'hook.sh': `${SHELL}${write}\n` });
      const operator = await openOperator({ beatMs: 500, silenceMs: 3000 });
      const relay = await startSlowRelay(operator.port, MIB);
      onTestFinished(async () => relay.close());
      const worker = rig.work(`https://127.0.0.1:${relay.port}`);
      const contexts = [Buffer.alloc(what === 'contexts' ? 4 * MIB : 2, ' ')];
      operator.hand(rig.runOf('r1', 'hook.sh'), { contexts, isInline: false });

      await expect.poll(() => operator.of('r1').results, { timeout: 40_000 }).toMatchObject([{ type: 'exited' }]);
      expect(worker.messages()).not.toContain('lost contact with the operator, hooks that run are ended');
    },
  );

  it('leaves a connection over which nothing comes any more, before its hooks must end', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}echo $$; while [ ! -e "$GO/go" ]; do sleep 0.02; done\n` });
    const operator = await openOperator({ beatMs: 1000, silenceMs: 15_000 });
    const relay = await startRelay(operator.port);
    onTestFinished(async () => relay.close());
    const worker = rig.work(`https://127.0.0.1:${relay.port}`, { times: { pingMs: 1000 } });
    operator.hand(rig.runOf('r1', 'hook.sh'));
    await expect.poll(() => operator.of('r1').lines, SLOW).toHaveLength(1);
    relay.freeze();
    const before = operator.beats.length;
    await expect.poll(() => operator.beats.length, SLOW).toBeGreaterThan(before + 1);
    rig.letGo('go');

    await expect.poll(() => operator.of('r1').results, SLOW).toMatchObject([{ type: 'exited' }]);
    expect(worker.messages()).not.toContain('lost contact with the operator, hooks that run are ended');
  });

  it('trusts the certificates of its file as they are when it connects', async () => {
    const rig = workerRig(HOOK);
    const operator = await openOperator({ beatMs: 50 });
    const worker = rig.work(operator.url, { times: QUICK });
    await expect.poll(() => operator.hellos, SLOW).toHaveLength(1);
    const next = createCertificate({ commonName: 'next' });
    operator.renew(next);
    operator.cut();
    await expect.poll(() => problemsOf(worker), SLOW).toMatch(/is not trusted .*--ca-file .*ca\.crt/);
    const before = operator.beats.length;
    writeFileSync(rig.caFile, next.cert);

    await expect.poll(() => operator.beats.length, SLOW).toBeGreaterThan(before);
  });

  it('trusts nobody where its file is empty', async () => {
    const rig = workerRig(HOOK);
    const operator = await openOperator({ beatMs: 50 });
    writeFileSync(rig.caFile, '\n');
    const worker = rig.work(operator.url, { times: QUICK });

    await expect.poll(() => problemsOf(worker), SLOW).toMatch(/--ca-file .*ca\.crt is empty, expected certificates/);
    writeFileSync(rig.caFile, certificate.cert);
    await expect.poll(() => operator.hellos, SLOW).toHaveLength(1);
  });

  it('trusts whom Node trusts where there is no file', async () => {
    const rig = workerRig(HOOK);
    rmSync(rig.caFile);
    const operator = await openOperator();
    const worker = rig.work(operator.url, { times: QUICK });

    await expect.poll(() => problemsOf(worker), SLOW).toMatch(/the certificate of .* is not trusted/);
  });

  it.each([
    ['where nobody listens', nobody, /refuses connections: the operator is not there, or is starting/],
    [
      'that a packet filter drops',
      async () => listening(createTcpServer(() => {})),
      /cannot be connected to .*see whether a NetworkPolicy forbids it/,
    ],
    [
      'with another certificate',
      async () => (await openOperator({ certificate: createCertificate({ commonName: 'other' }) })).url,
      /the certificate of .* is not trusted/,
    ],
    [
      'with a name that there is not',
      async () => 'https://no-such-name.invalid:9443',
      /the name no-such-name.invalid cannot be resolved/,
    ],
    [
      'that does not lead',
      async () => Object.assign(await openOperator(), { refusal: 'another replica leads' }).url,
      /answered 503: another replica leads/,
    ],
    [
      'that does not know the token',
      async () => (await openOperator({ instead: () => ({ status: 401, body: 'whose is it' }) })).url,
      /answered 401: whose is it/,
    ],
    [
      'that answers with other terms',
      async () => (await openOperator({ instead: () => ({ status: 200, body: '{}' }) })).url,
      /an answer that cannot be read: the terms/,
    ],
    [
      'that closes in the middle of its answer',
      async () =>
        (
          await openOperator({
            instead: (_asked, stream) => {
              stream.respond({ ':status': 200, 'content-length': 100 });
              stream.write('{"worker"', () => stream.session?.destroy());
              return 'nothing';
            },
          })
        ).url,
      /cut off|closed|hang up|ECONNRESET|destroyed|NGHTTP2/,
    ],
    [
      'that resets the request in the middle of its answer',
      async () =>
        (
          await openOperator({
            instead: (_asked, stream) => {
              stream.respond({ ':status': 200, 'content-length': 100 });
              stream.write('{"worker"', () => stream.close(2));
              return 'nothing';
            },
          })
        ).url,
      /NGHTTP2_PROTOCOL_ERROR/,
    ],
    [
      'that answers with a redirect',
      async () => (await openOperator({ instead: () => ({ status: 302 }) })).url,
      /answered 302/,
    ],
    [
      'that answers with 10 MiB',
      async () => (await openOperator({ instead: () => ({ status: 200, body: ' '.repeat(10 * MIB) }) })).url,
      /the answer is longer than 262144 bytes/,
    ],
    ['that speaks no HTTP/2', async () => answeringWith((socket) => socket.end('good day\r\n\r\n')), /127\.0\.0\.1/],
  ])('at a place %s is asked again elsewhere, and it says why', async (_where, place, why) => {
    const rig = workerRig(HOOK);
    const other = await place();
    const leader = await openOperator();
    leader.refusal = 'it does not lead yet';
    const worker = rig.work([other, leader.url], { times: QUICK });
    await expect.poll(() => problemsOf(worker), SLOW).toMatch(why);
    leader.refusal = undefined;
    leader.hand(rig.runOf('r1', 'hook.sh'));

    await expect.poll(() => leader.of('r1').results, SLOW).toHaveLength(1);
  });

  it('is not waited for by a hook whose operator hangs, and a run goes on when it answers again', async () => {
    const rig = workerRig(HOOK);
    let hangs = true;
    const operator = await openOperator({
      beatMs: 500,
      silenceMs: 1500,
      instead: ({ path }) => (hangs && path.type !== 'hello' && path.type !== 'claim' ? 'nothing' : undefined),
    });
    const worker = rig.work(operator.url, { times: { sayEveryMs: 0 } });
    operator.hand(rig.runOf('r1', 'hook.sh'));
    await expect.poll(() => problemsOf(worker), SLOW).toMatch(/there was no whole answer within 0.25 s/);
    expect(operator.happened).not.toContain('output r1');
    hangs = false;

    await expect.poll(() => operator.beats.length, SLOW).toBeGreaterThan(0);
  });
});

// Long enough for no beat but those that the worker asks for itself.
const LONG = { beatMs: 60_000, silenceMs: 600_000 };

/** Answers a beat after the run has arrived. */
function answerLater(stream: ServerHttp2Stream): 'nothing' {
  setTimeout(() => {
    stream.respond({ ':status': 200 });
    stream.end('{"end":[]}');
  }, 500);
  return 'nothing';
}

describe('a run that arrives while a beat without it is on its way', () => {
  it('begins only when a beat that names it was answered', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}echo began\n` });
    const order: string[] = [];
    const operator = await openOperator({
      ...LONG,
      instead: ({ path, body }, stream) => {
        order.push(path.type === 'beat' ? `beat ${body.toString().trim()}` : path.type);
        return path.type === 'beat' && body.includes('[]') ? answerLater(stream) : undefined;
      },
    });
    rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));

    await expect.poll(() => operator.of('r1').results, SLOW).toMatchObject([{ type: 'exited' }]);
    const told = order.filter((what) => what !== 'ends' && what !== 'claim');
    expect(told.slice(0, 4)).toEqual([
      'hello',
      'beat {"held":[]}',
      'beat {"held":[{"runId":"r1","epoch":1}]}',
      'output',
    ]);
  });

  it('does not begin when that answer says that it is elsewhere', async () => {
    const rig = workerRig({ 'hook.sh': `${SHELL}touch "$GO/began"; echo began\n` });
    const operator = await openOperator({
      ...LONG,
      instead: ({ path, body }, stream) =>
        path.type === 'beat' && body.includes('[]') ? answerLater(stream) : undefined,
    });
    operator.endsByBeat = [{ runId: 'r1', epoch: 1, why: 'it is elsewhere', isOver: true }];
    const worker = rig.work(operator.url);
    operator.hand(rig.runOf('r1', 'hook.sh'));

    await expect.poll(() => worker.messages(), SLOW).toContain('run is not run here any more');
    expect(operator.happened).toEqual(['hello', 'claim r1']);
    expect(operator.of('r1').lines).toEqual([]);
  });
});

function problemsOf({ log }: Pick<ReturnType<ReturnType<typeof workerRig>['work']>, 'log'>): string {
  return log.lines.flatMap(({ fields }) => ('problem' in fields ? [String(fields['problem'])] : [])).join('\n');
}
