import { createServer, get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Exchange } from '../src/exchange.ts';
import { Faults } from '../src/faults.ts';

async function answered(act: (exchange: Exchange) => void): Promise<{ status: number | undefined; body: string }> {
  const request = { method: 'GET', path: '/', query: new URLSearchParams(), headers: {}, body: '' };
  const server = createServer((_incoming, response) =>
    act(new Exchange(request, false, response, new Faults(() => {}))),
  );
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
  });
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  return { status: incoming.statusCode, body };
}

describe('an exchange', () => {
  it('passes on what is sent', async () => {
    const answer = await answered((exchange) => {
      exchange.start(201, 'text/plain');
      exchange.send('one ');
      exchange.send(Buffer.from('two'));
      exchange.end();
    });

    expect(answer).toEqual({ status: 201, body: 'one two' });
  });

  it('ends at its limit as if that were the end', async () => {
    const answer = await answered((exchange) => {
      exchange.limit(5, 'end');
      exchange.start(200, 'text/plain');
      exchange.send('one ');
      exchange.send('two');
      exchange.send('three');
    });

    expect(answer).toEqual({ status: 200, body: 'one t' });
  });

  it('hangs up at its limit', async () => {
    const answer = answered((exchange) => {
      exchange.limit(5, 'hangUp');
      exchange.start(200, 'text/plain');
      exchange.send('one two three');
    });

    await expect(answer).rejects.toThrow('aborted');
  });

  it('says nothing after it is ended', async () => {
    const answer = await answered((exchange) => {
      exchange.start(200, 'text/plain');
      exchange.end();
      exchange.send('late');
      exchange.end();
    });

    expect(answer.body).toBe('');
  });
});

it('a watch whose client does not read is ended after 256 MiB', async () => {
  let wasOpen = true;
  const request = { method: 'GET', path: '/', query: new URLSearchParams(), headers: {}, body: '' };
  const line = Buffer.alloc(64 * 1024 * 1024, 'x');
  const closed = Promise.withResolvers<boolean>();
  const server = createServer((_incoming, response) => {
    const exchange = new Exchange(request, true, response, new Faults(() => {}));
    exchange.onClose(() => closed.resolve(wasOpen));
    exchange.start(200, 'application/json');
    for (let sent = 0; sent < 4; sent += 1) exchange.write(line, 'event');
    wasOpen = !exchange.closed;
    for (let sent = 0; sent < 2; sent += 1) exchange.write(line, 'event');
  });
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  get({ port, host: '127.0.0.1', agent: false }, (incoming) => incoming.pause().on('error', () => {})).on(
    'error',
    () => {},
  );

  expect(await closed.promise).toBe(true);
});
