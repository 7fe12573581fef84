import { describe, expect, it } from 'vitest';
import { parseDeleteOptions, type DeleteOptions } from '../src/delete-options.ts';

function parse(query: string, body = ''): DeleteOptions {
  return parseDeleteOptions({ method: 'DELETE', path: '/', query: new URLSearchParams(query), headers: {}, body });
}

describe('the options of a delete', () => {
  it('stand in the query or in the body', () => {
    const expected = { propagation: 'Foreground', gracePeriodSeconds: 5, dryRun: true };

    expect(parse('propagationPolicy=Foreground&gracePeriodSeconds=5&dryRun=All')).toMatchObject(expected);
    expect(parse('', '{"propagationPolicy":"Foreground","gracePeriodSeconds":5,"dryRun":["All"]}')).toMatchObject(
      expected,
    );
  });

  it('preconditions are read', () => {
    expect(parse('', '{"preconditions":{"uid":"u","resourceVersion":"3"}}')).toMatchObject({
      uid: 'u',
      resourceVersion: '3',
    });
  });

  it('orphanDependents is the old word for the policy', () => {
    expect(parse('orphanDependents=true').propagation).toBe('Orphan');
    expect(parse('', '{"orphanDependents":false}').propagation).toBe('Background');
    expect(parse('').propagation).toBeUndefined();
  });

  it.each([
    [
      'propagationPolicy=Foo',
      '',
      'Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      '',
      '{"propagationPolicy":"Orphan","orphanDependents":true}',
      'orphanDependents and deletionPropagation cannot be both set',
    ],
    ['dryRun=x', '', 'dryRun: Unsupported value'],
    ['', '{"kind":"Pod","apiVersion":"v1"}', 'no kind "Pod" is registered for version "v1"'],
  ])('%s %s is refused', (query, body, message) => {
    expect(() => parse(query, body)).toThrow(message);
  });
});
