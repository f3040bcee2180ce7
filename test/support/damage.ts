import { open } from 'node:fs/promises'

/**
 * Damages a file in place, as a bad disk does.
 *
 * @param mask - which bits of the byte at `position` flip
 */
export async function flipBits(path: string, position: number, mask = 0xff): Promise<void> {
  const file = await open(path, 'r+')
  const byte = Buffer.alloc(1)
  await file.read(byte, 0, 1, position)
  byte[0] = (byte[0] as number) ^ mask
  await file.write(byte, 0, 1, position)
  await file.close()
}
