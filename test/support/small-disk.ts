import { execFile } from 'node:child_process'
import { type FileHandle, mkdir, open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { behindEachTest } from './clean-up.js'
import { temporaryDirectory } from './temporary.js'

const run = promisify(execFile)

/** Whether this process may mount: the tests that need a small disk are for root. */
export const canMount = process.getuid?.() === 0 && process.platform === 'linux'

/** A file system of so many MiB, with a ballast file on it that can be removed to make room. */
export interface SmallDisk {
  readonly path: string
  /** Takes what room is left. */
  fill(): Promise<void>
  makeRoom(): Promise<void>
  /** Takes what inodes are left, of one with few. */
  fillInodes(): Promise<void>
  freeInodes(): Promise<void>
  /** Nothing is written any more: nobody may have a file open for it. */
  setReadOnly(): Promise<void>
}

const mounted: string[] = []

// Registered behind that of temporary.ts, it runs before it, which removes the directory.
behindEachTest(async () => {
  for (const path of mounted.splice(0)) await run('umount', ['--lazy', path])
})

/** Mounts a tmpfs, which is gone behind the test. 0 inodes: no limit. */
export async function smallDisk(sizeMiB: number, ballastMiB: number, inodes = 0): Promise<SmallDisk> {
  const path = join(await temporaryDirectory(), 'disk')
  await mkdir(path)
  await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,nr_inodes=${inodes}`, 'tmpfs', path])
  mounted.push(path)
  const ballast = join(path, 'ballast')
  await writeFile(ballast, Buffer.alloc(ballastMiB << 20))
  if ((await stat(ballast)).blocks * 512 < ballastMiB << 20) throw new Error('the ballast takes no room')
  const files = join(path, 'files')
  return {
    path,
    fill: () => fill(join(path, 'filler')),
    makeRoom: () => rm(ballast),
    fillInodes: () => fillInodes(files),
    freeInodes: () => rm(files, { recursive: true }),
    setReadOnly: async () => void (await run('mount', ['-o', 'remount,ro', path])),
  }
}

async function fillInodes(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  try {
    for (let i = 0; ; i++) await writeFile(join(directory, String(i)), '')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

async function fill(path: string): Promise<void> {
  const filler = await open(path, 'w')
  try {
    // Most of it in large pieces; the last one is cut short, or refused.
    for (const piece of [1 << 20, 4096]) await writeUntilFull(filler, Buffer.alloc(piece))
  } finally {
    await filler.close()
  }
}

async function writeUntilFull(file: FileHandle, piece: Buffer): Promise<void> {
  try {
    for (;;) await file.write(piece)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
