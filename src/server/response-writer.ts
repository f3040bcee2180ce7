import type { FileSlice } from '../log/file-slice.js'
import type { SendOutcome } from '../native/native.js'
import type { ResponsePart } from './response-part.js'

/** How a write ended that did not end at once. The error says why it was not sent, where there is one to tell. */
export type WriteDone = (outcome: SendOutcome, error: Error | null) => void

/** One of the ways of the parts of responses onto a socket. */
export interface ResponseWriter {
  /**
   * Writes the parts in order. Returns true when the socket has taken all of them; else `done` is called once,
   * later. One write at a time; the parts stay as they are until its end.
   */
  write(parts: ResponsePart[], done: WriteDone): boolean
  /** Ends what is under way. Nothing is written behind it, and `done` is not called or says `cancelled`. */
  close(): void
}

export function isSlice(part: ResponsePart): part is FileSlice {
  return !(part instanceof Uint8Array)
}
