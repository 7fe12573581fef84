import { SNAPSHOTS } from './etcd-repair-snapshots.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: the snapshot', SNAPSHOTS);
