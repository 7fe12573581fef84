import { parentPort, workerData } from 'node:worker_threads';
import { RecordingMaker, type RawRun } from './recording-job.ts';

// The casts are safe: only `recorder.ts` starts this file, and sends it messages: runs, and at the end null.
const maker = new RecordingMaker(workerData as Uint8Array);
parentPort?.on('message', (raw: RawRun | null) => {
  if (raw === null) parentPort?.close();
  else parentPort?.postMessage(maker.make(raw));
});
