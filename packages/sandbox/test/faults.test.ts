import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../src/api-request.ts';
import { Faults, matchesRequest, type Fault, type RequestMatcher } from '../src/faults.ts';

function request(method: string, url: string): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'http://sandbox');
  return { method, path: pathname, query: searchParams, headers: {}, body: '' };
}

const list = request('GET', '/api/v1/pods?limit=500');

describe('faults', () => {
  it.each<[RequestMatcher, boolean]>([
    [{}, true],
    [{ method: 'get' }, true],
    [{ method: 'POST' }, false],
    [{ path: '/api/v1' }, true],
    [{ path: '/apis' }, false],
    [{ pattern: 'pods\\?limit=5' }, true],
    [{ pattern: 'pods$' }, false],
    [{ watch: true }, false],
    [{ watch: false, path: '/api/v1/pods' }, true],
  ])('%j means the list of pods: %s', (matcher, expected) => {
    expect(matchesRequest(matcher, list, false)).toBe(expected);
  });

  it('a fault strikes as often as it says, in the order of adding', () => {
    const faults = new Faults(() => {});
    faults.add({ type: 'status', code: 500, times: 2 });
    faults.add({ type: 'status', code: 429 });

    const codes = [1, 2, 3, 4].map(() => faults.take(list, false, 'status')?.code);

    expect(codes).toEqual([500, 500, 429, 429]);
    expect(faults.active).toEqual([{ type: 'status', code: 429 }]);
  });

  it('a pattern that is none is refused at once', () => {
    expect(() => new Faults(() => {}).add({ type: 'silence', pattern: '(' })).toThrow(SyntaxError);
  });

  it('a fault ends when it is taken back, or with all of them', () => {
    const faults = new Faults(() => {});
    const end = faults.add({ type: 'delay', delayMs: 1 });
    faults.add({ type: 'silence' });

    end();
    expect(faults.active).toEqual([{ type: 'silence' }]);
    faults.clear();
    expect(faults.active).toEqual([]);
  });

  it('what is open is told of a new fault, and may use it up', () => {
    const struck: Fault[] = [];
    const faults = new Faults((fault, strikes) => {
      if (strikes()) struck.push(fault);
    });

    faults.add({ type: 'silence', times: 1 });

    expect(struck).toHaveLength(1);
    expect(faults.take(list, false, 'silence')).toBeUndefined();
  });
});
