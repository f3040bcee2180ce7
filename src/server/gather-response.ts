import type { FileSlice } from '../log/file-slice.js'
import type { ResponsePart } from './response-part.js'
import { isSlice } from './response-writer.js'

/**
 * One buffer of a response, for who takes it in this process. What is in the page cache is read at once, anything else
 * off the event loop. The slices are released in any case.
 *
 * @throws (or rejects with) MyKafkaError KAFKA_STORAGE_ERROR
 */
export function gatherResponse(parts: readonly ResponsePart[]): Buffer | Promise<Buffer> {
  const [first] = parts
  if (parts.length === 1 && first !== undefined && !isSlice(first)) return first
  const gathered = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + part.length, 0))
  const cold: { readonly slice: FileSlice; readonly into: Buffer }[] = []
  try {
    let end = 0
    for (const part of parts) {
      const into = gathered.subarray(end, end + part.length)
      end += part.length
      if (!isSlice(part)) part.copy(into)
      else if (!part.segment.read(into, part.position)) cold.push({ slice: part, into })
    }
  } catch (error) {
    releaseSlices(parts)
    throw error
  }
  if (cold.length === 0) {
    releaseSlices(parts)
    return gathered
  }
  // Each of them is waited for before the slices, and the files under them, are let go.
  const reads = cold.map(({ slice, into }) => slice.segment.readAsync(into, slice.position))
  return Promise.allSettled(reads).then((settled) => {
    releaseSlices(parts)
    for (const read of settled) if (read.status === 'rejected') throw read.reason
    return gathered
  })
}

/** Lets go of the files of a response. */
export function releaseSlices(parts: readonly ResponsePart[]): void {
  for (const part of parts) if (isSlice(part)) part.release()
}
