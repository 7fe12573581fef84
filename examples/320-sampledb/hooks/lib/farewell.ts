import type { ConditionToSet, KubernetesObject, NewObject, ReconcileAnswer } from 'hooklet';
import { stateOf } from './job-state.ts';
import { snapshotJob } from './jobs.ts';
import { configuration, dataVolume, server } from './parts.ts';
import { backupsOf } from './pod.ts';
import { requestOf, type SampleDB } from './spec.ts';
import { told } from './told.ts';

type Owned = Readonly<Record<string, readonly KubernetesObject[]>>;

/** The end of a SampleDB that is deleted: a snapshot, then the server and its volume go, then itself. */
export function farewell(object: SampleDB, owned: Owned, held: string): ReconcileAnswer {
  const [volume] = owned['PersistentVolumeClaim'] ?? [];
  if (object.spec.onDelete === 'Discard' || volume === undefined) return removal(owned, []);
  // What is there counts, also where the spec asks for something else or for nonsense.
  const size = requestOf(volume) ?? object.spec.storage.size;
  const db = { ...object, spec: { ...object.spec, version: held, storage: { ...object.spec.storage, size } } };
  const snapshot = snapshotJob(db, held);
  const { phase, message } = stateOf(snapshot, owned['Job.batch'] ?? []);
  const { name, uid } = db.metadata;
  const place = `volume ${backupsOf(name)}, folder ${name}-${uid}`;
  if (phase === 'complete') {
    const taken: ConditionToSet = { type: 'Snapshot', status: 'True', reason: 'SnapshotTaken', message: place };
    return { ...told(object, [taken]), ...removal(owned, [snapshot]) };
  }
  const way = `To delete without one: kubectl patch sampledb ${name} --type merge -p '{"spec":{"onDelete":"Discard"}}'`;
  const condition: ConditionToSet =
    phase === 'failed'
      ? {
          type: 'Snapshot',
          status: 'False',
          reason: 'SnapshotFailed',
          message: `${message}. See kubectl logs job/${name}-snapshot, and delete that Job to try again. ${way}`,
        }
      : { type: 'Snapshot', status: 'Unknown', reason: 'SnapshotDue', message: `to be taken in ${place}. ${way}` };
  return {
    ...told(object, [condition]),
    children: [
      dataVolume(db, held),
      ...configuration(db),
      server(db, held, 1),
      { object: snapshot, after: [`StatefulSet/${name}`] },
    ],
  };
}

/** Takes away all but `kept`, and lets the SampleDB go when all is gone: also volumes that wait for their Pods. */
function removal(owned: Owned, kept: readonly NewObject[]): ReconcileAnswer {
  const names = kept.map(({ metadata }) => metadata.name);
  const left = Object.values(owned)
    .flat()
    .filter(({ kind, metadata }) => kind !== 'Job' || !names.includes(metadata.name));
  return left.length === 0 ? { finalized: true } : { children: kept };
}
