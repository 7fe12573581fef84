import type { ConditionToSet, NewObject, ReconcileAnswer } from 'hooklet';
import { type Backups, takenBackups } from './backups-claim.ts';
import { backingUp, founded, type Owned } from './founded.ts';
import { stateOf } from './job-state.ts';
import { snapshotJob } from './jobs.ts';
import { configuration, dataVolume, server } from './parts.ts';
import { backupsOf } from './pod.ts';
import { sizesOf } from './space.ts';
import type { SampleDB } from './spec.ts';
import { told } from './told.ts';

interface Around {
  /** The version of the data. */
  readonly held: string;
  readonly backups: Backups;
  /** Whether its Pods are kept from running. */
  readonly healthy: ConditionToSet;
}

/** The end of a SampleDB that is deleted: a snapshot, then the server and its volume go, then itself. */
export function farewell(object: SampleDB, owned: Owned, around: Around): ReconcileAnswer {
  const [volume] = owned['PersistentVolumeClaim'] ?? [];
  if (object.spec.onDelete === 'Discard' || volume === undefined) return removal(owned, []);
  const { held, backups } = around;
  // What is there counts, also where the spec asks for something else or for nonsense.
  const size = sizesOf(volume).request;
  const db = { ...object, spec: { ...object.spec, version: held } };
  const snapshot = snapshotJob(db, held);
  const { phase, message } = stateOf(snapshot, owned['Job.batch'] ?? []);
  const { name, uid } = db.metadata;
  const place = `volume ${backupsOf(name)}, folder ${name}-${uid}`;
  if (phase === 'complete') {
    const taken: ConditionToSet = { type: 'Snapshot', status: 'True', reason: 'SnapshotTaken', message: place };
    return { ...told(object, [taken]), ...removal(owned, [snapshot]) };
  }
  const failure = phase === 'failed' ? message : undefined;
  const [afterServer] = backingUp(backups, owned, [snapshot]);
  const base = [dataVolume(db, { version: held, size }), ...configuration(db)];
  const parts = { base, server: server(db, held, 1), others: [] };
  return {
    ...told(object, [waiting(name, { ...around, failure, place })]),
    children: founded(owned, { ...parts, ...(afterServer !== undefined && { afterServer }) }),
  };
}

interface Waiting extends Around {
  readonly failure: string | undefined;
  readonly place: string;
}

function waiting(name: string, { failure, place, backups, healthy }: Waiting): ConditionToSet {
  const way = `To delete without one: kubectl patch sampledb ${name} --type merge -p '{"spec":{"onDelete":"Discard"}}'`;
  const isNot = (reason: string, text: string): ConditionToSet => ({
    type: 'Snapshot',
    status: 'False',
    reason,
    message: `${text}. ${way}`,
  });
  if (failure !== undefined) {
    return isNot(
      'SnapshotFailed',
      `${failure}. See kubectl logs job/${name}-snapshot, and delete that Job to try again`,
    );
  }
  if (backups === 'taken') return isNot('VolumeTaken', takenBackups(name));
  // Without this, a database that has never started would wait for its snapshot in silence.
  if (healthy.status !== 'True') return isNot('SnapshotHeldUp', healthy.message ?? '');
  return { type: 'Snapshot', status: 'Unknown', reason: 'SnapshotDue', message: `to be taken in ${place}. ${way}` };
}

/** Takes away all but `kept`, and lets the SampleDB go when all is gone: also volumes that wait for their Pods. */
function removal(owned: Owned, kept: readonly NewObject[]): ReconcileAnswer {
  const names = kept.map(({ metadata }) => metadata.name);
  const left = Object.values(owned)
    .flat()
    .filter(({ kind, metadata }) => kind !== 'Job' || !names.includes(metadata.name));
  return left.length === 0 ? { finalized: true } : { children: kept };
}
