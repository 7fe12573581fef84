import { REFUSALS } from './etcd-repair-refusals.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: what it refuses', REFUSALS);
