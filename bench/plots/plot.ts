import type { BenchStage } from '../stage.ts';
import type { Chart } from './chart.ts';

/** Measures one curve, on a control plane of its own. */
export type Plot = (stage: BenchStage) => Promise<Chart>;
