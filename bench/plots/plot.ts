import type { BenchStage } from '../stage.ts';
import type { Chart } from './chart.ts';

/** Measures one sweep, on a control plane of its own. */
export type Plot = (stage: BenchStage) => Promise<readonly Chart[]>;
