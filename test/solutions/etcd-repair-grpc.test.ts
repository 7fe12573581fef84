import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { call } from '../../solutions/etcd-repair/hooks/lib/grpc.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that refuses all calls with this text; returns its URL. */
async function refusing(text: string): Promise<string> {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'grpc-status': '13', 'grpc-message': text }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.each([
  ['etcdserver%3A no leader', 'etcdserver: no leader'],
  ['the disk is 100% full', 'the disk is 100% full'],
])('the text "%s" of a refusal is told as "%s"', async (text, told) => {
  const request = { endpoint: await refusing(text), path: '/a/B', message: Buffer.of(), timeoutMs: 10_000 };

  await expect(call(request)).rejects.toThrow(`/a/B was refused: ${told}`);
});
