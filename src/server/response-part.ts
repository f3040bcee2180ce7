import type { FileSlice } from '../log/file-slice.js'

/** A piece of a response: bytes, or bytes of a segment file, which whoever sends them releases. */
export type ResponsePart = Buffer | FileSlice
