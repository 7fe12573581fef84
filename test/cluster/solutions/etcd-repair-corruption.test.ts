import { CORRUPTIONS } from './etcd-repair-corruption.ts';
import { playLines } from './etcd-repair-play.ts';

playLines('the repair of etcd members: data that differs', CORRUPTIONS);
