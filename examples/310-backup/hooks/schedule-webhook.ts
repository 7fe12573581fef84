// Refuses a Backup whose schedule never comes, before it is written: what a schema cannot say.
import { defineHook, validating } from 'hooklet';
import { whyNever } from './lib/crontab.ts';
import { type Backup, GROUP } from './lib/spec.ts';

const operations = ['CREATE', 'UPDATE'] as const;
const rules = [{ apiGroups: [GROUP], apiVersions: ['v1'], resources: ['backups'], operations }] as const;

export default defineHook({
  bindings: { [`schedules.${GROUP}`]: validating<Backup>({ rules, timeoutSeconds: 5 }) },
  run({ contexts: [context], answer }) {
    const { object: backup, operation } = context?.request ?? {};
    // One that is being deleted must be let go, whatever it says.
    if (backup === undefined || backup === null || backup.metadata.deletionTimestamp !== undefined)
      return answer.allow();
    const { schedule, drill, timeZone } = backup.spec;
    const schedules = drill === undefined ? [schedule] : [schedule, drill.schedule];
    const never = schedules.flatMap((crontab) => whyNever(crontab, timeZone, Date.now()) ?? []);
    const problems = operation === 'CREATE' ? [...nameProblems(backup.metadata.name), ...never] : never;
    if (problems.length === 0) answer.allow();
    else answer.deny(problems.join('; '));
  },
});

// The CronJob of the drills of a Backup app is app-drill. A Backup that has such a name already is let be.
function nameProblems(name: string): readonly string[] {
  if (!name.endsWith('-drill')) return [];
  return [
    `metadata.name: got ${name}, which would be the name of the drills of another Backup: take one without -drill`,
  ];
}
