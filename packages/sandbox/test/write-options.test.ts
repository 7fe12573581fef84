import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../src/api-request.ts';
import { parseBody, parseObjectBody, parsePatch, parseWriteOptions } from '../src/write-options.ts';

function request(query: string, body = '', headers: { [name: string]: string } = {}): ApiRequest {
  return { method: 'POST', path: '/', query: new URLSearchParams(query), headers, body };
}

describe('the options of a write', () => {
  it('the field manager is named, or else begins the user agent', () => {
    expect(parseWriteOptions(request('fieldManager=me'), 'CreateOptions').fieldManager).toBe('me');
    expect(parseWriteOptions(request('', '', { 'user-agent': 'kubectl/v1 (linux)' }), 'X').fieldManager).toBe(
      'kubectl',
    );
    expect(parseWriteOptions(request(''), 'CreateOptions').fieldManager).toBe('unknown');
  });

  it('a dry run is of everything or refused', () => {
    expect(parseWriteOptions(request('dryRun=All'), 'CreateOptions').dryRun).toBe(true);
    expect(() => parseWriteOptions(request('dryRun=Foo'), 'CreateOptions')).toThrow(
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"',
    );
  });
});

describe('the body of a write', () => {
  it('is JSON, or YAML where its type says so', () => {
    expect(parseObjectBody(request('', '{"a":1}'), 'Pod')).toEqual({ a: 1 });
    expect(parseBody(request('', 'a: 1', { 'content-type': 'application/yaml' }), 'Pod')).toEqual({ a: 1 });
    expect(parsePatch(request('', '[1]'))).toEqual([1]);
  });

  it.each(['', '{bad', '[1]', '"x"'])('%j is no object', (body) => {
    expect(() => parseObjectBody(request('', body), 'Pod')).toThrow(
      'the object provided is unrecognized (must be of type Pod)',
    );
  });

  it('a patch that cannot be read is told apart from an object', () => {
    expect(() => parsePatch(request('', '{bad'))).toThrow('error decoding patch: ');
    expect(() => parsePatch(request('', '{bad', { 'content-type': 'application/apply-patch+yaml' }))).toThrow(
      'error decoding YAML: error converting YAML to JSON',
    );
  });
});
