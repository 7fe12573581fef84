import { describe, expect, it } from 'vitest';
import type { Bench } from './target.ts';
import { refusal, refusalOf } from './target.ts';

/** Who is let in. */
export function authenticationLaws(bench: () => Bench): void {
  describe('a token', () => {
    it('that nobody has is refused', async () => {
      const { client } = bench();

      const answer = await client.get('/api/v1/nodes', { token: 'wrong' });

      expect(refusalOf(answer)).toEqual(refusal(401, 'Unauthorized', 'Unauthorized'));
    });
  });
}
