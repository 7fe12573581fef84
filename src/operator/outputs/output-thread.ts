import { parentPort, workerData } from 'node:worker_threads';
import { doOutputJob, type OutputJob } from './output-job.ts';

// The cast is safe: only `read-outputs.ts` starts this file.
parentPort?.postMessage(doOutputJob(workerData as OutputJob));
