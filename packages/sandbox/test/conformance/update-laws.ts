import { describe, expect, it } from 'vitest';
import type { Answer, Loose } from './client.ts';
import type { Bench } from './target.ts';
import { REFUSED, STARTS, TAKEN, UNREAD, type Kind, type Start, type Way } from './update-cases.ts';

/** What an update of a built-in object may change, and what it may not. */
export function updateLaws(bench: () => Bench): void {
  describe('an update', () => {
    it.each(TAKEN)('of %s by %s may have %j', async (kind, way, change) => {
      const { status, text } = await updated(bench(), kind, way, change);

      expect(status, text).toBe(200);
    });

    it.each(REFUSED)('of %s by %s may not have %j', async (kind, way, change, problem) => {
      const { status, body } = await updated(bench(), kind, way, change);

      expect(body['message']).toMatch(problem);
      expect(status).toBe(422);
    });

    it.each(UNREAD)('of %s by %s cannot have %j', async (kind, way, change, problem) => {
      const { status, body } = await updated(bench(), kind, way, change);

      expect(body['message']).toMatch(problem);
      expect(status).toBe(400);
    });
  });
}

async function updated({ client, namespace }: Bench, kind: Kind, way: Way, change: object): Promise<Answer> {
  const { place, spec, status }: Start = STARTS[kind];
  const all = `/${place[0]}/namespaces/${await namespace()}/${place[1]}`;
  const made = await client.post(all, { metadata: { name: 'a' }, spec });
  expect(made.status, made.text).toBe(201);
  if (status !== undefined) expect((await client.patch(`${all}/a/status`, 'merge', { status })).status).toBe(200);
  if (way === 'merge') return client.patch(`${all}/a`, 'merge', { spec: change });
  if (way === 'put') return client.put(`${all}/a`, replaced(made.body, change));
  const body = { apiVersion: made.body['apiVersion'], kind: made.body['kind'], metadata: { name: 'a' }, spec: change };
  return client.patch(`${all}/a?fieldManager=laws&force=true`, 'apply', body);
}

/** The object with fields of its spec replaced; one that is undefined is left out. */
function replaced(body: Loose, change: object): object {
  const { name, labels } = body['metadata'] ?? {};
  return { ...body, metadata: { name, labels }, spec: { ...body['spec'], ...change } };
}
