import { INTERRUPTIONS } from './etcd-repair-interruptions.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: what comes between', INTERRUPTIONS);
