/** What recorder.cc wrote down, as events in the order in which they happened. */
import { readFileSync } from 'node:fs'

export type TraceEvent =
  | {
      readonly kind: 'open'
      readonly handle: number
      readonly creates: boolean
      readonly cuts: boolean
      readonly path: string
    }
  | { readonly kind: 'write'; readonly handle: number; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly handle: number; readonly length: number }
  /** The file is at least so long then. */
  | { readonly kind: 'allocate'; readonly handle: number; readonly length: number }
  /** The page cache forgot the file: what is read from now on is what the disk has. */
  | { readonly kind: 'drop'; readonly handle: number }
  | { readonly kind: 'sync'; readonly handle: number; readonly failed: boolean }
  | { readonly kind: 'rename' | 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove' | 'mkdir'; readonly path: string }
  /** A call that was made to fail. */
  | { readonly kind: 'fault'; readonly call: string; readonly path: string }
  | { readonly kind: 'mark'; readonly text: string }

const HEAD_BYTES = 5

export function readTrace(file: string): TraceEvent[] {
  const bytes = readFileSync(file)
  const events: TraceEvent[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at + 1)
    events.push(eventOf(String.fromCharCode(bytes[at] as number), bytes.subarray(at + HEAD_BYTES, end)))
    at = end
  }
  return events
}

function eventOf(kind: string, body: Buffer): TraceEvent {
  const handle = body.length >= 4 ? body.readUInt32LE(0) : 0
  const long = (): number => Number(body.readBigUInt64LE(4))
  switch (kind) {
    case 'O': {
      const does = body.readUInt32LE(4)
      return { kind: 'open', handle, creates: (does & 1) !== 0, cuts: (does & 2) !== 0, path: textAt(body, 8) }
    }
    case 'W':
      return { kind: 'write', handle, position: long(), bytes: body.subarray(12) }
    case 'T':
      return { kind: 'truncate', handle, length: long() }
    case 'A':
      return { kind: 'allocate', handle, length: long() }
    case 'N':
      return { kind: 'drop', handle }
    case 'S':
      return { kind: 'sync', handle, failed: body.readUInt32LE(4) !== 0 }
    case 'R':
    case 'L': {
      const path = textAt(body, 0)
      const to = textAt(body, 4 + Buffer.byteLength(path))
      return { kind: kind === 'R' ? 'rename' : 'link', path, to }
    }
    case 'U':
    case 'D':
      return { kind: kind === 'U' ? 'remove' : 'mkdir', path: textAt(body, 0) }
    case 'F': {
      const call = textAt(body, 0)
      return { kind: 'fault', call, path: textAt(body, 4 + Buffer.byteLength(call)) }
    }
    case 'M':
      return { kind: 'mark', text: body.toString() }
    default:
      throw new Error(`the record has an entry '${kind}'`)
  }
}

function textAt(body: Buffer, at: number): string {
  return body.toString('utf8', at + 4, at + 4 + body.readUInt32LE(at))
}
