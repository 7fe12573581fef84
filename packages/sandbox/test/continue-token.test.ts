import { describe, expect, it } from 'vitest';
import { continueToken, parseContinueToken } from '../src/continue-token.ts';

describe('continue tokens', () => {
  it('a token is read back as it was written', () => {
    expect(parseContinueToken(continueToken(7, 'default/a'))).toEqual({ revision: 7, after: 'default/a' });
  });

  it.each(['zzz', 'e30', ''])('%j is none', (text) => {
    expect(() => parseContinueToken(text)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
