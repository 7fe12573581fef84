import { afterAll, beforeAll } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/sandbox.ts';
import { conformanceSuite } from './conformance/suite.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ bookmarkIntervalMs: 500 });
});

afterAll(async () => {
  await sandbox.close();
});

conformanceSuite(() => ({
  url: sandbox.url,
  token: sandbox.token,
  compact: () => {
    sandbox.compact();
    return Promise.resolve();
  },
}));
