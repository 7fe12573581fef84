// Refuses a Backup whose schedule never comes, before it is written: what a schema cannot say.
import { defineHook, validating } from 'hooklet';
import { whyNever } from './lib/crontab.ts';
import { type Backup, GROUP } from './lib/spec.ts';

const operations = ['CREATE', 'UPDATE'] as const;
const rules = [{ apiGroups: [GROUP], apiVersions: ['v1'], resources: ['backups'], operations }] as const;

export default defineHook({
  bindings: { [`schedules.${GROUP}`]: validating<Backup>({ rules, timeoutSeconds: 5 }) },
  run({ contexts: [context], answer }) {
    const backup = context?.request.object;
    // One that is being deleted must be let go, whatever it says.
    if (backup === undefined || backup === null || backup.metadata.deletionTimestamp !== undefined)
      return answer.allow();
    const { schedule, drill, timeZone } = backup.spec;
    const schedules = drill === undefined ? [schedule] : [schedule, drill.schedule];
    const problems = schedules.flatMap((crontab) => whyNever(crontab, timeZone, Date.now()) ?? []);
    if (problems.length === 0) answer.allow();
    else answer.deny(problems.join('; '));
  },
});
