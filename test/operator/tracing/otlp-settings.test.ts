import { describe, expect, it } from 'vitest';
import { otlpSettings } from '../../../src/operator/tracing/otlp-settings.ts';

describe('where traces go', () => {
  it.each([
    [{ TRACING_OTLP_ENDPOINT: 'collector:4317' }, { protocol: 'grpc', url: 'http://collector:4317/' }],
    [{ TRACING_OTLP_ENDPOINT: 'grpc://collector:4317' }, { protocol: 'grpc', url: 'http://collector:4317/' }],
    [{ TRACING_OTLP_ENDPOINT: 'grpcs://collector' }, { protocol: 'grpc', url: 'https://collector/' }],
    [
      { TRACING_OTLP_ENDPOINT: 'http://collector:4318' },
      { protocol: 'http/protobuf', url: 'http://collector:4318/v1/traces' },
    ],
    [
      { TRACING_OTLP_ENDPOINT: 'https://c/otlp/', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      { protocol: 'http/json', url: 'https://c/otlp/v1/traces' },
    ],
    [{ TRACING_OTLP_ENDPOINT: 'http://c/v1/traces' }, { protocol: 'http/protobuf', url: 'http://c/v1/traces' }],
    [
      { TRACING_OTLP_ENDPOINT: 'http://c:1', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
      { protocol: 'grpc', url: 'http://c:1/' },
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, { protocol: 'http/protobuf' }],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, { protocol: 'grpc' }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, { protocol: 'grpc' }],
  ])('%j is %j', (env, expected) => {
    const { shown, ...settings } = otlpSettings(env) ?? { shown: '' };

    expect(settings).toEqual(expected);
    expect(shown).not.toBe('');
  });

  it.each([
    {},
    { TRACING_OTLP_ENDPOINT: ' ' },
    { TRACING_OTLP_AUTH_TOKEN: 'x' },
    { TRACING_OTLP_ENDPOINT: 'c:1', OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_TRACES_EXPORTER: 'none' },
  ])('%j is nowhere', (env) => {
    expect(otlpSettings(env)).toBeUndefined();
  });

  it('takes the token without blanks, for its own endpoint alone', () => {
    const token = { TRACING_OTLP_AUTH_TOKEN: ' secret\n' };

    expect(otlpSettings({ ...token, TRACING_OTLP_ENDPOINT: 'c:1' })?.authorization).toBe('Bearer secret');
    expect(otlpSettings({ ...token, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' })?.authorization).toBeUndefined();
  });

  it('shows neither user nor password', () => {
    expect(otlpSettings({ TRACING_OTLP_ENDPOINT: 'http://me:pass@c:1' })?.shown).not.toMatch(/me|pass/);
  });

  it.each([
    [{ TRACING_OTLP_ENDPOINT: 'ftp://c' }, 'TRACING_OTLP_ENDPOINT: got "ftp://c", expected a URL'],
    [{ TRACING_OTLP_ENDPOINT: 'a b' }, 'TRACING_OTLP_ENDPOINT: got "http://a b"'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT: got "collector:4318"'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'udp' },
      'OTEL_EXPORTER_OTLP_PROTOCOL: got "udp", expected one of grpc, http/protobuf, http/json',
    ],
  ])('%j is refused', (env, message) => {
    expect(() => otlpSettings(env)).toThrow(message);
  });
});
