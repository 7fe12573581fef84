import type { TestProject } from 'vitest/node';
import { controlPlaneAssets } from './assets.ts';
import { ControlPlane } from './control-plane.ts';
import { serveControls } from './remote-control.ts';

/** Starts one control plane for all test files, and ends it after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await ControlPlane.start(await controlPlaneAssets(process.env));
  const controls = await serveControls(plane);
  const { url, auditLogPath } = plane;
  project.provide('controlPlane', { url, ca: await plane.ca(), controls: controls.url, auditLogPath });
  return async () => {
    await controls.close();
    await plane.stop();
  };
}
