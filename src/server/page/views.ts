import type { View } from './view.ts';
import { curvesView } from './views/curves.ts';
import { deadView } from './views/dead.ts';
import { failuresView } from './views/failures.ts';
import { hooksView, hookView } from './views/hooks.ts';
import { nowView } from './views/now.ts';
import { objectsView, objectView } from './views/objects.ts';
import { pausesView } from './views/pauses.ts';
import { replicasView } from './views/replicas.ts';
import { runView } from './views/run.ts';
import { runsView } from './views/runs.ts';
import { schedulesView } from './views/schedules.ts';
import { watchesView } from './views/watches.ts';

/** All views, in the order of the navigation. */
export const VIEWS: readonly View[] = [
  nowView,
  runsView,
  runView,
  objectsView,
  objectView,
  failuresView,
  deadView,
  schedulesView,
  watchesView,
  hooksView,
  hookView,
  replicasView,
  pausesView,
  curvesView,
];

export function viewAt(path: string): View | undefined {
  return VIEWS.find((view) => view.path === path);
}
