import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificate, FakeDesk, openServer, podRig, SHELL } from '../../support/job-rig.ts';
import { createCertificate } from '../../support/certificate.ts';
import { runProgram } from '../../support/program.ts';
import { within } from '../../support/within.ts';

const HOOK = { 'hook.sh': `${SHELL}exit 0\n` };
const MIB = 1024 * 1024;

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

/** A TLS server that answers a request with whatever `answer` writes. */
async function answeringWith(answer: (socket: Socket) => void): Promise<string> {
  const server = createTlsServer({ ...certificate }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  return listening(server);
}

/** A URL at which nobody listens. */
async function nobody(): Promise<string> {
  const server = createTcpServer();
  const url = await listening(server);
  server.close();
  return url;
}

describe('what the Pod of a Job asks', () => {
  it('is answered by the replica that leads, at whichever URL and address it is', async () => {
    const pod = podRig(HOOK);
    const desk = new FakeDesk({ hookHash: pod.hashOf('hook.sh') });
    const standby = await openServer(desk, { refusal: () => 'another replica leads' });
    const leader = await openServer(desk);
    // This name has the address ::1 in many places, where nobody listens.
    const urls = [await nobody(), standby.url, `https://localhost:${leader.port}`];

    expect((await pod.run(urls)).exitCode).toBe(0);
    expect(desk.happened).toEqual(['claim', 'contexts', 'result']);
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
      async () =>
        (await openServer(new FakeDesk({}), { certificate: () => createCertificate({ commonName: 'other' }) })).url,
      /the certificate of .* is not trusted .*HOOKLET_JOB_CA/,
    ],
    [
      'with a name that there is not',
      async () => 'https://no-such-name.invalid:9443',
      /the name no-such-name.invalid cannot be resolved/,
    ],
    [
      'that does not lead',
      async () => (await openServer(new FakeDesk({}), { refusal: () => 'another replica leads' })).url,
      /answered 503: hooklet: another replica leads/,
    ],
    [
      'that does not know the token',
      async () => (await openServer(new FakeDesk({}), { identify: async () => undefined })).url,
      /answered 401/,
    ],
  ])('is given up after its limit at a place %s, and says why', async (_where, place, why) => {
    const pod = podRig(HOOK);
    const { exitCode, output } = await pod.run(await place(), { claimLimitMs: 300, connectLimitMs: 150 });

    expect(exitCode).toBe(1);
    expect(output).toMatch(why);
    expect(output.match(/cannot be reached/g)).toHaveLength(1);
    expect(output).toMatch(/the run could not be claimed: /);
  });

  it.each([
    ['no HTTP', (socket: Socket) => socket.end('good day\r\n\r\n')],
    ['no JSON', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n<ht>')],
    ['no claim', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')],
    [
      'a redirect',
      (socket: Socket) => socket.end('HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1/\r\ncontent-length: 0\r\n\r\n'),
    ],
    ['half an answer', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{')],
    ['nothing', () => {}],
    [
      'a byte now and then',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
        const timer = setInterval(() => socket.write(' '), 20);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      'endless headers',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write(`x: ${'y'.repeat(1000)}\r\n`), 1);
        socket.once('close', () => clearInterval(timer));
      },
    ],
    [
      '10 GB',
      (socket: Socket) => {
        const more = Buffer.alloc(MIB, ' ');
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${10 * 1024 * MIB}\r\n\r\n`);
        const push = () => void socket.write(more, (error) => !error && setImmediate(push));
        push();
      },
    ],
  ])('is given up within 3 s and 100 MiB where the answer is %s', async (_what, answer) => {
    const pod = podRig(HOOK);
    const url = await answeringWith(answer);
    const before = process.memoryUsage().rss;
    const running = pod.run(url, { claimLimitMs: 500 });

    await within(3000, async () => expect((await running).exitCode).toBe(1));
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });

  it('is not asked with contexts that have another size than the claim says', async () => {
    const pod = podRig(HOOK);
    const desk = new FakeDesk({ hookHash: pod.hashOf('hook.sh'), contextBytes: 18 });
    const server = await openServer(desk);
    const { exitCode, output } = await pod.run(server.url, { claimLimitMs: 200 });

    expect(exitCode).toBe(1);
    expect(output).toContain('the contexts: got 17 bytes, expected 18');
    expect(desk.results).toMatchObject([{ type: 'failed', by: 'environment' }]);
  });

  it('says everything that is wrong with the environment, with exit code 2', async () => {
    const { exitCode, stderr } = await runProgram(['exec-run'], {
      env: { HOOKLET_JOB: 'No_Job', HOOKLET_JOB_URLS: 'http://a', HOOKLET_JOB_CA: undefined },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('HOOKLET_JOB: got "No_Job", expected the name of a Job');
    expect(stderr).toContain('HOOKLET_JOB_URLS: got "http://a", expected https URLs');
    expect(stderr).toContain('HOOKLET_JOB_CA: got "", expected certificates as PEM');
  });
});
