/** Up to so many bytes are copied faster one by one than by a call that makes a view. */
const SHORT = 48

/** Copies bytes and returns the position behind them. */
export function copyBytes(source: Uint8Array, from: number, length: number, into: Uint8Array, at: number): number {
  if (length > SHORT) into.set(source.subarray(from, from + length), at)
  else for (let i = 0; i < length; i++) into[at + i] = source[from + i] as number
  return at + length
}
