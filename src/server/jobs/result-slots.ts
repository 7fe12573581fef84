import { MAX_CAPACITY } from '../../hook/work-desk.ts';
import { MAX_RESULT_BODY_BYTES } from '../../hook/result-wire.ts';
import { RequestSlots } from '../request-slots.ts';
import { SourceSlots } from '../source-slots.ts';

const MIB = 1024 * 1024;
const SMALL_BYTES = 256 * 1024;
const SMALL = { maxRequests: 2000, maxBytes: 32 * MIB };
const LARGE = { maxRequests: 32, maxBytes: 3 * MAX_RESULT_BODY_BYTES };
const OF_JOB = { maxRequests: Infinity, maxOfSource: 1 };
/** Small ones of a worker have room beside one of the largest. */
const OF_WORKER = {
  maxRequests: Infinity,
  maxOfSource: MAX_CAPACITY,
  maxBytesOfSource: MAX_RESULT_BODY_BYTES + 8 * MIB,
};

/** Of all results that arrive at the same time: what their slots allow. */
export const MAX_RESULTS_BYTES = SMALL.maxBytes + LARGE.maxBytes;

/** The slots of results: Jobs and workers have the memory together, and large ones do not take that of small ones. */
export function openResultSlots(): { readonly ofJob: SourceSlots; readonly ofWorker: SourceSlots } {
  const small = new RequestSlots(SMALL);
  const large = new RequestSlots(LARGE);
  const both = { take: (bytes: number) => (bytes <= SMALL_BYTES ? small : large).take(bytes) };
  return { ofJob: new SourceSlots(OF_JOB, both), ofWorker: new SourceSlots(OF_WORKER, both) };
}
