import { halved, type Segment, type StageWatcher } from './stages.ts';

const PREFACE_BYTES = 24;
const HEADER_BYTES = 9;
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const GOAWAY = 7;
const ACK = 1;
const END_STREAM = 1;

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly bytes: Buffer;
}

/** Detects the stages of an HTTP/2 connection by its frames. */
export function watchHttp2(): StageWatcher {
  let isPrefaceSeen = false;
  let lastStreamId = 0;
  const open = new Set<number>();
  const upFrames = frameReader();
  const downFrames = frameReader();

  const upward = ({ type, streamId, bytes }: Frame): Segment => {
    if (type !== HEADERS) return { bytes };
    lastStreamId = streamId;
    return { bytes, reaches: 'requestSent' };
  };
  const downward = ({ type, flags, streamId, bytes }: Frame): readonly Segment[] => {
    if (type === SETTINGS && flags !== ACK) return [{ bytes, reaches: 'afterSettings' }];
    if (type === HEADERS) open.add(streamId);
    if ((type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0) open.delete(streamId);
    if (type === HEADERS) return [{ bytes, reaches: 'headers' }];
    if (type !== DATA || bytes.length < HEADER_BYTES + 2) return [{ bytes }];
    return halved(bytes, HEADER_BYTES + Math.floor((bytes.length - HEADER_BYTES) / 2));
  };

  return {
    up(chunk) {
      const segments: Segment[] = [];
      let rest = chunk;
      if (!isPrefaceSeen) {
        // The client sends it in one chunk, because it is its first write.
        isPrefaceSeen = true;
        segments.push({ bytes: rest.subarray(0, PREFACE_BYTES) });
        rest = rest.subarray(PREFACE_BYTES);
      }
      return [...segments, ...upFrames.push(rest).map(upward)];
    },
    down: (chunk) => downFrames.push(chunk).flatMap(downward),
    isIdle: () => open.size > 0 && downFrames.isEmpty(),
    farewell: () => goaway(lastStreamId),
  };
}

function goaway(lastStreamId: number): Buffer {
  const frame = Buffer.alloc(HEADER_BYTES + 8);
  frame.writeUIntBE(8, 0, 3);
  frame.writeUInt8(GOAWAY, 3);
  frame.writeUInt32BE(lastStreamId, HEADER_BYTES);
  return frame;
}

/** Assembles frames from chunks. */
function frameReader() {
  let waiting: Buffer = Buffer.alloc(0);
  return {
    isEmpty: () => waiting.length === 0,
    push(chunk: Buffer): readonly Frame[] {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      const frames: Frame[] = [];
      for (;;) {
        if (waiting.length < HEADER_BYTES) return frames;
        const length = HEADER_BYTES + waiting.readUIntBE(0, 3);
        if (waiting.length < length) return frames;
        const bytes = waiting.subarray(0, length);
        waiting = waiting.subarray(length);
        const streamId = bytes.readUInt32BE(5) & 0x7fffffff;
        frames.push({ type: bytes.readUInt8(3), flags: bytes.readUInt8(4), streamId, bytes });
      }
    },
  };
}
