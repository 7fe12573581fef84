import { describe, expect, it } from 'vitest';
import { readRedact } from '../../src/hook/config-redact.ts';
import type { Issue } from '../../src/errors.ts';

function read(value: unknown) {
  const issues: Issue[] = [];
  return { parts: readRedact(value, { path: 'settings.redact[0]', issues }), issues };
}

describe('a path of settings.redact', () => {
  it.each([
    ['password', ['password']],
    ['spec.auth.password', ['spec', 'auth', 'password']],
    ['.spec.*.token', ['spec', '*', 'token']],
    ['$.spec.users[*].password', ['spec', 'users', 'password']],
    ['{.data.users[0]}', ['data', 'users']],
    [`$.data['ca.crt']`, ['data', 'ca.crt']],
    ['$["a b"]["c"]', ['a b', 'c']],
  ])('%j is the keys %j', (text, parts) => {
    expect(read(text)).toEqual({ parts, issues: [] });
  });

  it.each(['', '$', '.', '[*]', 'a..b', 'a[', 'a b', "a['", '$.a[?(@.b)]', `a.${'b.'.repeat(300)}`, 7, null, ['a']])(
    '%j is refused',
    (value) => {
      const { parts, issues } = read(value);
      expect({ parts, count: issues.length }).toEqual({ parts: undefined, count: 1 });
    },
  );
});
