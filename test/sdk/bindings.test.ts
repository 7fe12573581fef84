import { expect, it } from 'vitest';
import { http } from '../../src/sdk/http.ts';
import { kubernetes, onStartup, schedule } from '../../src/sdk/bindings.ts';

it('declares bindings as plain data', () => {
  expect([onStartup(3), schedule('@daily'), kubernetes({ kind: 'Pod', queue: 'pods' }), http()]).toEqual([
    { type: 'onStartup', order: 3 },
    { type: 'schedule', crontab: '@daily', options: {} },
    { type: 'kubernetes', options: { kind: 'Pod', queue: 'pods' } },
    { type: 'http', options: {} },
  ]);
});
