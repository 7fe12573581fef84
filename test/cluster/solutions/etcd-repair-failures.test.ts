import { FAILURES } from './etcd-repair-failures.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: what fails', FAILURES);
