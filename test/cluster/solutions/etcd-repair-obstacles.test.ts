import { OBSTACLES } from './etcd-repair-obstacles.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: what does not let it go on', OBSTACLES);
