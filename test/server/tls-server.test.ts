import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createCertificate } from '../support/certificate.ts';
import { httpRig, type HttpRigOptions } from '../support/http-rig.ts';

async function rig(options: HttpRigOptions = {}) {
  const made = await httpRig({ kind: 'tls with HTTP/2', ...options });
  const open = async (more: ConnectionOptions = {}): Promise<TLSSocket> => {
    const where = { host: '127.0.0.1', port: made.server.port, ca: made.certificate.cert, ...more };
    const socket = connect(where);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  return { ...made, open };
}

it.each([
  [['h2', 'http/1.1'], 'h2'],
  [['h2'], 'h2'],
  [['http/1.1'], 'http/1.1'],
  [undefined, false],
])('a client that knows %j speaks %s', async (ALPNProtocols, protocol) => {
  const { open } = await rig();

  const socket = await open({ ...(ALPNProtocols && { ALPNProtocols }) });

  expect(socket.alpnProtocol).toBe(protocol);
});

it('both versions of HTTP are served at once', async () => {
  const { open, ask } = await rig();
  const socket = await open();

  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');

  expect(String((await once(socket, 'data'))[0])).toContain('HTTP/1.1 200 OK');
  expect(await ask()).toMatchObject({ status: 200 });
});

it('HTTP/2 is not spoken where it was not asked for', async () => {
  const { open } = await rig({ kind: 'tls' });

  expect((await open({ ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol).toBe('http/1.1');
  await expect(open({ ALPNProtocols: ['h2'] })).rejects.toThrow(/no application protocol|alert/i);
});

it('TLS below 1.2 is refused', async () => {
  const { open } = await rig();

  await expect(open({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' })).rejects.toThrow();
  expect((await open({ maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2');
});

it.each(['tls', 'tls with HTTP/2'] as const)(
  '%s: a certificate that was renewed is for new connections, and open ones stay',
  async (kind) => {
    const { open, ask, server, certificate } = await rig({ kind });
    const before = await open();
    expect(await ask()).toMatchObject({ status: 200 });

    const old = certificate.cert;
    Object.assign(certificate, createCertificate());
    expect(await open({ ca: old })).toMatchObject({ authorized: true });
    server.renew();

    expect(await open()).toMatchObject({ authorized: true });
    await expect(open({ ca: old })).rejects.toThrow('self-signed certificate');
    before.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String((await once(before, 'data'))[0])).toContain('200 OK');
  },
);

it('a certificate that is broken, or not of its key, is not taken, and the one before stays', async () => {
  const { ask, server, certificate } = await rig();
  const old = { ...certificate };

  Object.assign(certificate, { cert: 'nonsense' });
  expect(() => server.renew()).toThrow();
  Object.assign(certificate, { cert: createCertificate().cert });
  expect(() => server.renew()).toThrow();

  Object.assign(certificate, old);
  expect(await ask()).toMatchObject({ status: 200 });
});

it.each([
  ['nothing', ''],
  ['no TLS', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['the beginning of a handshake', '\u0016\u0003\u0001'],
])('a client that sends %s is gone after its 50 ms', async (_, text) => {
  const { server } = await rig({ bounds: { headersLimitMs: 50 } });
  const socket = connectTcp(server.port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());

  socket.resume().write(text);

  await once(socket, 'close');
});

it('connections without a handshake are counted, and take no place from one that asks', async () => {
  const { server, ask } = await rig({ kind: 'tls', bounds: { maxConnections: 4 } });
  const sockets = Array.from({ length: 20 }, () => connectTcp(server.port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.slice(0, 16).map(async (socket) => once(socket.resume(), 'close')));

  expect(await ask()).toMatchObject({ status: 200 });
});
