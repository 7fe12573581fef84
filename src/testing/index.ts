// `hooklet/testing`: what `public.ts` declares.

import { startSandbox as start } from '@hooklet/sandbox';
import { assertion } from './assertions.ts';
import type * as declared from './public.ts';

export { matchers } from './assertions.ts';
export { openWorld } from './open-world.ts';
export { runHook } from './run-hook.ts';
export type * from './public.ts';

/** Starts a Kubernetes API server in memory on a loopback port. */
export const startSandbox: typeof declared.startSandbox = start;
export const assertObject: typeof declared.assertObject = assertion('toHaveObject');
export const assertRun: typeof declared.assertRun = assertion('toHaveRun');
export const assertWritten: typeof declared.assertWritten = assertion('toHaveWritten');
export const assertCalled: typeof declared.assertCalled = assertion('toHaveCalled');
export const assertEvent: typeof declared.assertEvent = assertion('toHaveEvent');
export const assertMetric: typeof declared.assertMetric = assertion('toHaveMetric');
export const assertMeets: typeof declared.assertMeets = assertion('toMeet');
