import { describe, expect, it } from 'vitest';
import { messageJson } from '../../src/protobuf/message-json.ts';
import { bytesField, messageBytes } from '../../src/protobuf/writer.ts';

const entry = (key: string, value: string): Buffer => messageBytes([bytesField(1, key), bytesField(2, value)]);

describe('the JSON of a message', () => {
  it('has the names of its fields, and none that is empty and optional', () => {
    const meta = messageBytes([bytesField(1, 'a'), bytesField(2, ''), bytesField(8, '')]);
    const map = messageBytes([bytesField(1, meta), bytesField(2, entry('x', '1')), bytesField(2, entry('y', ''))]);

    expect(messageJson('core/v1.ConfigMap', map)).toEqual({ metadata: { name: 'a' }, data: { x: '1', y: '' } });
  });

  it('keeps what a pointer says, also where that is nothing', () => {
    const spec = Buffer.from([1 * 8, 0]);

    expect(messageJson('apps/v1.DeploymentSpec', spec)).toMatchObject({ replicas: 0 });
  });

  it('has what is required where it is empty, as Go writes it', () => {
    expect(messageJson('core/v1.ContainerPort', Buffer.alloc(0))).toEqual({ containerPort: 0 });
    expect(messageJson('core/v1.PodSpec', Buffer.alloc(0))).toEqual({ containers: null });
  });

  it('has the fields of messages that stand in it directly', () => {
    const emptyDir = messageBytes([bytesField(2, messageBytes([]))]);
    const volume = messageBytes([bytesField(1, 'v'), bytesField(2, emptyDir)]);

    expect(messageJson('core/v1.Volume', volume)).toEqual({ name: 'v', emptyDir: {} });
  });

  it('has bytes in base64, and schemas in schemas', () => {
    const text = messageBytes([bytesField(5, 'string')]);
    const items = messageBytes([bytesField(1, text)]);

    expect(messageJson('core/v1.Secret', messageBytes([bytesField(2, entry('x', 'a'))]))).toEqual({
      data: { x: 'YQ==' },
    });
    expect(messageJson('apiextensions/v1.JSONSchemaProps', messageBytes([bytesField(24, items)]))).toEqual({
      items: { type: 'string' },
    });
  });

  it('leaves out what it does not know', () => {
    expect(messageJson('core/v1.ConfigMap', messageBytes([bytesField(99, 'x')]))).toEqual({});
  });
});
