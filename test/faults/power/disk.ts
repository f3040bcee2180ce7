import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { BrokerProcess } from '../../support/broker-process.js'
import { behindEachTest } from '../../support/clean-up.js'

const PROGRAM = fileURLToPath(new URL('disk.py', import.meta.url))
const IMAGE_MIB = 384
const SHARED_MEMORY = '/dev/shm'

/** Where the data of a broker lies whose lives end badly. */
export interface Disk {
  readonly dataDir: string
  /** The command that the broker runs under. */
  readonly under: readonly string[]
  /** Begins to write dirty pages back, here and there. */
  writeBack(seed: number): Promise<void>
  /**
   * Ends the broker's life in so many milliseconds.
   *
   * @param unplugging - called when the power goes: from then on the broker writes to no disk
   */
  end(broker: BrokerProcess, delayMs: number, unplugging?: () => void): Promise<void>
  /** Makes what is left ready for the next start. */
  recover(): Promise<void>
  close(): Promise<void>
}

const open = new Set<Disk>()

behindEachTest(async () => {
  for (const disk of open) await disk.close()
})

/** What is needed to pull a plug and is not here; null: nothing. */
export function missingForPower(): string | null {
  if (process.platform !== 'linux') return `ext4 and loop devices, on ${process.platform}`
  if (process.getuid?.() !== 0) return 'root, to mount'
  if (!existsSync('/dev/loop-control')) return '/dev/loop-control'
  for (const command of ['unshare', 'nsenter', 'setpriv', 'python3', 'mkfs.ext4', 'mount']) {
    try {
      execFileSync('sh', ['-c', `command -v ${command}`], { stdio: 'ignore' })
    } catch {
      return command
    }
  }
  return null
}

/** In memory where there is room: what is asked of the device is asked many times faster. */
function imageDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY)
    if (bavail * bsize > 4 * IMAGE_MIB * 2 ** 20) return SHARED_MEMORY
  } catch {
    // There is none.
  }
  return tmpdir()
}

/**
 * An ext4 file system in an image, mounted in a mount namespace of its own. Its end is EXT4_IOC_SHUTDOWN without a flush
 * of the journal: nothing that was not written to the device by then will be, neither data nor journal. What was
 * written is there: a device that loses or reorders what it took is not played here.
 */
export class PowerDisk implements Disk {
  readonly dataDir: string
  readonly under: readonly string[]
  readonly #directory: string
  readonly #mountOptions: string
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  readonly #waiting: { resolve(): void; reject(error: Error): void }[] = []
  #stderr = ''

  /** @param mountOptions - of ext4: `data=writeback` and the like */
  static async make(mountOptions: string): Promise<PowerDisk> {
    const disk = new PowerDisk(mountOptions)
    open.add(disk)
    await disk.#ask('make')
    await disk.#ask(`mount ${mountOptions}`)
    return disk
  }

  private constructor(mountOptions: string) {
    this.#mountOptions = mountOptions
    this.#directory = mkdtempSync(join(imageDirectory(), 'mykafka-power-'))
    const point = join(this.#directory, 'disk')
    mkdirSync(point)
    const image = join(this.#directory, 'image')
    const unshared = ['-m', '--propagation', 'private', 'python3', PROGRAM, image, point, String(IMAGE_MIB)]
    const child = spawn('unshare', unshared, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child = child
    this.#exited = once(child, 'close').then(() => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(`the disk's process ended:\n${this.#stderr}`))
    })
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr += text
    })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const asked = this.#waiting.shift()
      if (line === 'ok') asked?.resolve()
      else asked?.reject(new Error(line))
    })
    this.dataDir = join(point, 'data')
    // It dies with this process, however that dies: the mount would stay with it.
    this.under = ['nsenter', '-m', '-t', String(child.pid), '--', 'setpriv', '--pdeathsig', 'KILL', '--']
  }

  writeBack(seed: number): Promise<void> {
    return this.#ask(`writeback ${seed}`)
  }

  async end(_broker: BrokerProcess, delayMs: number, unplugging?: () => void): Promise<void> {
    if (delayMs > 0) await sleep(delayMs)
    unplugging?.()
    await this.#ask('pull')
  }

  async recover(): Promise<void> {
    await this.#ask('unmount')
    await this.#ask(`mount ${this.#mountOptions}`)
  }

  async close(): Promise<void> {
    open.delete(this)
    this.#child.stdin?.end()
    await this.#exited
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #ask(command: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#child.stdin?.write(`${command}\n`)
    })
  }
}

/** An ordinary directory: the end is the process's alone, by kill -9. */
export class KillDisk implements Disk {
  readonly dataDir: string
  readonly under: readonly string[] = []
  readonly #directory: string

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'mykafka-kill-'))
    this.dataDir = join(this.#directory, 'data')
    open.add(this)
  }

  async writeBack(): Promise<void> {}

  end(broker: BrokerProcess, delayMs: number): Promise<void> {
    return broker.killIn(delayMs)
  }

  async recover(): Promise<void> {}

  async close(): Promise<void> {
    open.delete(this)
    rmSync(this.#directory, { recursive: true, force: true })
  }
}
