import type { DeskAnswer, RemoteLine, RemoteResult } from '../../hook/remote-run.ts';
import { parseLines } from '../../hook/remote-wire.ts';
import { parseResult } from '../../hook/result-wire.ts';
import type { HttpAnswer } from '../answering.ts';
import { badAnswer, doneAnswer } from './answers.ts';

/** Passes the lines of a body on. */
export function outputAnswer(body: Buffer, pass: (lines: readonly RemoteLine[]) => DeskAnswer<undefined>): HttpAnswer {
  const lines = parseLines(body.toString('utf8'));
  return lines.type === 'wrong' ? badAnswer(400, lines.problem) : doneAnswer(pass(lines.value));
}

/** Passes the result in a body on. */
export function resultAnswer(body: Buffer, pass: (result: RemoteResult) => DeskAnswer<undefined>): HttpAnswer {
  const result = parseResult(body);
  return result.type === 'wrong' ? badAnswer(result.status, result.problem) : doneAnswer(pass(result.value));
}
