import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../src/api-request.ts';
import { inJson, isProtobuf, PROTOBUF } from '../../src/protobuf/envelope.ts';
import { bytesField, messageBytes } from '../../src/protobuf/writer.ts';
import { sandboxForTest } from '../support/sandbox.ts';

function envelope(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const type = messageBytes([bytesField(1, apiVersion), bytesField(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), messageBytes([bytesField(1, type), bytesField(2, raw)])]);
}

function request(body: Buffer, type = PROTOBUF): ApiRequest {
  const headers = { 'content-type': type };
  return { method: 'POST', path: '/', query: new URLSearchParams(), headers, body: body.toString('latin1') };
}

const meta = messageBytes([bytesField(1, 'a')]);
const value = messageBytes([bytesField(1, 'x'), bytesField(2, 'größer')]);
const map = envelope('v1', 'ConfigMap', messageBytes([bytesField(1, meta), bytesField(2, value)]));

describe('a body in protobuf', () => {
  it('is recognized by its content type', () => {
    expect([PROTOBUF, `${PROTOBUF};charset=utf-8`, 'application/json', undefined].map(isProtobuf)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('is taken as if it were JSON', () => {
    const { headers, body } = inJson(request(map));

    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(JSON.parse(body)).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: 'a' },
      data: { x: 'größer' },
    });
  });

  it('of a kind that has no such form stays as it is', () => {
    const custom = request(envelope('example.com/v1', 'Widget', Buffer.alloc(0)));

    expect(inJson(custom)).toBe(custom);
  });

  it.each([
    ['does not begin as one', Buffer.from('{}'), 'does not appear to be a protobuf message'],
    ['is cut', map.subarray(0, 20), 'unexpected EOF'],
  ])('that %s is refused', (_, body, message) => {
    expect(() => inJson(request(body))).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(message) }),
    );
  });

  it('creates an object, over HTTP', async () => {
    const sandbox = await sandboxForTest();

    const response = await fetch(`${sandbox.url}/api/v1/namespaces/default/configmaps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': PROTOBUF },
      body: new Uint8Array(map),
    });

    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ metadata: { name: 'a' }, data: { x: 'größer' } });
  });
});
