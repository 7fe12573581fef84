import type { TestProject } from 'vitest/node';
import { controlPlaneAssets } from './assets.ts';
import { ControlPlane } from './control-plane.ts';
import { serveControls } from './remote-control.ts';
import type { ProvidedControlPlane } from './shared-control-plane.ts';

/** Starts a control plane for each worker, and ends them after all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const assets = await controlPlaneAssets(process.env);
  await using ends = new AsyncDisposableStack();
  const start = async (): Promise<ProvidedControlPlane> => {
    const plane = await ControlPlane.start(assets);
    ends.defer(async () => plane.stop());
    const controls = await serveControls(plane);
    ends.defer(async () => controls.close());
    return { url: plane.url, ca: await plane.ca(), controls: controls.url, auditLogPath: plane.auditLogPath };
  };
  project.provide('controlPlanes', await Promise.all(Array.from({ length: project.config.maxWorkers }, start)));
  const kept = ends.move();
  return async () => kept.disposeAsync();
}
