import { WITNESSES } from './etcd-repair-witnesses.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: what others see', WITNESSES);
