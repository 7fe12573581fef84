import { onTestFinished } from 'vitest';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';

/** Starts a sandbox that is closed when the test that runs now has finished. */
export async function sandboxForTest(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}
