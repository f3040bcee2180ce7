import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.js'

/** Whether a library can be made and preloaded here. */
export const canPreload = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0

/** The places of faults.c. 0 is as the system is. */
const SLOTS = {
  /** Milliseconds, whole seconds of them, by which the system's clock is set. */
  clockShiftMs: 0,
  /** 1: no sync comes to its end, until it is 0 again. */
  syncsHeld: 1,
  /** What mapping a file fails with. */
  mappingErrno: 2,
  /** The most bytes that can be had at once. */
  largestAllocation: 3,
  /** What writing a log fails with. */
  writeErrno: 4,
} as const

/** What can be made to lack while a process runs. */
export type Fault = keyof typeof SLOTS

/** Faults of one process, as they are set. */
export interface Faults {
  /** A command that runs a program with them, in its own place. */
  readonly under: readonly string[]
  set(fault: Fault, value: number): void
}

/** Faults for a program that is about to be started; none is set yet. */
export async function faults(): Promise<Faults> {
  const path = join(await temporaryDirectory(), 'faults')
  writeFileSync(path, Buffer.alloc(8 * Object.keys(SLOTS).length))
  return {
    under: ['env', `LD_PRELOAD=${library()}`, `MYKAFKA_FAULTS=${path}`],
    set: (fault, value) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64LE(BigInt(value))
      const file = openSync(path, 'r+')
      writeSync(file, bytes, 0, 8, 8 * SLOTS[fault])
      closeSync(file)
    },
  }
}

/** Made once a run, beside its programs. */
function library(): string {
  const made = join(inject('programs'), 'faults.so')
  if (existsSync(made)) return made
  const source = fileURLToPath(new URL('faults.c', import.meta.url))
  // Several test files may come to it at once.
  const making = `${made}.${process.pid}`
  execFileSync('cc', ['-O1', '-shared', '-fPIC', '-fno-builtin', '-Wall', '-Werror', '-o', making, source])
  renameSync(making, made)
  return made
}
