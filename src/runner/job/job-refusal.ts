import type { JobAnswer, JobRefusalStatus } from '../../hook/job-desk.ts';

/** Refuses what a Pod asks. */
export function refused(status: JobRefusalStatus, message: string): Extract<JobAnswer<never>, { type: 'refused' }> {
  return { type: 'refused', status, message };
}
