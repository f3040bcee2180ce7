import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Client, MyKafkaError } from '../../src/client/index.js'
import { BrokerProcess } from '../support/broker-process.js'
import { canMount, smallDisk } from '../support/small-disk.js'
import { temporaryDirectory } from '../support/temporary.js'
import { canPreload, faults } from './support/faults.js'

const REFUSED = { code: 'KAFKA_STORAGE_ERROR' }
const SYNCED = { args: ['--fsync', 'always'] }
/** Root without its rights over what is another's: as any other user, but that the sources can be read everywhere. */
const UNPRIVILEGED = ['setpriv', '--bounding-set', '-all', '--inh-caps', '-all']

let root: string
let dataDir: string

beforeEach(async () => {
  root = await temporaryDirectory()
  dataDir = join(root, 'data')
})

/** A broker with two partitions and a record in each. */
async function start(options: { under?: readonly string[]; args?: readonly string[] } = {}) {
  const broker = await BrokerProcess.start({ dataDir, ...options })
  const client = await Client.connect({ port: broker.port })
  await client.createTopic('t', 2)
  const produce = (partition: number) => client.produce('t', [{ value: 'x' }], { partition })
  for (const partition of [0, 1]) await produce(partition)
  return { broker, client, produce }
}

/** What a broker that does not start says. */
async function refusal(under: readonly string[] = []): Promise<string> {
  const broker = BrokerProcess.spawn({ dataDir, under })
  expect(await broker.exited()).toEqual({ code: 1, signal: null })
  return broker.output
}

describe('a directory that is removed under a running broker', () => {
  it('of a partition: what is acknowledged as synced is not in it, and the others go on', async () => {
    const { broker, client, produce } = await start(SYNCED)
    await rm(join(dataDir, 't', '0'), { recursive: true })
    await expect(produce(0)).rejects.toMatchObject(REFUSED)
    expect(await produce(1)).toMatchObject({ baseOffset: 1 })
    // What was written is still read.
    expect(await client.fetch('t', 0, 0)).not.toEqual([])
    await expect.poll(() => broker.output).toMatch(/t\/0\/0{20}\.log was removed/)
    expect(broker.output).toContain('the log refuses writes until a restart')
    await client.close()
    await broker.stop()
    const again = await BrokerProcess.start({ dataDir })
    expect(again.log.map(({ msg }) => msg)).toContain('a partition is offline: its directory is missing')
    const reader = await Client.connect({ port: again.port })
    await expect(reader.produce('t', [{ value: 'x' }], { partition: 0 })).rejects.toMatchObject(REFUSED)
    expect(await reader.fetch('t', 1, 0)).toHaveLength(2)
    await reader.close()
    await again.stop()
  })

  it('all of it: nothing is acknowledged as synced, the broker lives until it is stopped', async () => {
    const { broker, client, produce } = await start(SYNCED)
    await rm(dataDir, { recursive: true })
    for (const partition of [0, 1]) await expect(produce(partition)).rejects.toMatchObject(REFUSED)
    await expect(client.createTopic('another', 1)).rejects.toBeInstanceOf(MyKafkaError)
    expect(await client.fetch('t', 0, 0)).not.toEqual([])
    await client.close()
    expect(await broker.stop()).toEqual({ code: 1, signal: null })
    expect(broker.output).toMatch(/KAFKA_STORAGE_ERROR: .*recovery-point-offset-checkpoint could not be written/)
    const again = await BrokerProcess.start({ dataDir })
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })
})

describe('a directory that may not be written', () => {
  it.runIf(canPreload)(
    'while the broker runs: appends are refused, reads go on, and all when it may again',
    async () => {
      const disk = await faults()
      const { broker, client, produce } = await start({ under: disk.under })
      disk.set('writeErrno', constants.errno.EROFS)
      await expect(produce(0)).rejects.toMatchObject(REFUSED)
      await expect(client.commitOffset('group', 't', 0, 1)).rejects.toMatchObject(REFUSED)
      expect(await client.fetch('t', 0, 0)).toHaveLength(1)
      await expect.poll(() => broker.output).toContain('EROFS')
      disk.set('writeErrno', 0)
      expect(await produce(0)).toMatchObject({ baseOffset: 1 })
      await client.commitOffset('group', 't', 0, 1)
      await client.close()
      expect(await broker.stop()).toEqual({ code: 0, signal: null })
    },
  )

  it.runIf(canMount)('at a start: one line says so', async () => {
    const disk = await smallDisk(8, 0)
    dataDir = join(disk.path, 'data')
    const { broker } = await start()
    await broker.stop()
    await disk.setReadOnly()
    expect(await refusal()).toMatch(/^mykafka serve: KAFKA_STORAGE_ERROR: open .*lock: Read-only file system\n$/)
  })

  it.runIf(canMount)("another user's: at a start one line says so, of one partition the others serve", async () => {
    const { broker } = await start()
    await broker.stop()
    await chown(join(dataDir, 't', '0'), 12345, 12345)
    await chmod(join(dataDir, 't', '0'), 0o700)
    const served = await BrokerProcess.start({ dataDir, under: UNPRIVILEGED })
    const offline = served.log.filter(({ msg }) => /^a partition is offline|not readable/.test(msg))
    expect(offline.map(({ directory }) => directory)).toContain(join(dataDir, 't', '0'))
    const client = await Client.connect({ port: served.port })
    await expect(client.fetch('t', 0, 0)).rejects.toMatchObject(REFUSED)
    expect(await client.fetch('t', 1, 0)).toHaveLength(1)
    await client.close()
    await served.stop()
    for (const path of [dataDir, join(dataDir, '@broker')]) {
      await chown(path, 12345, 12345)
      await chmod(path, 0o700)
    }
    expect(await refusal(UNPRIVILEGED)).toMatch(/^mykafka serve: .*(EACCES|Permission denied).*\n$/)
  })
})

describe('something else in the place of a directory', () => {
  it('a file, or a link that leads nowhere: one line says so', async () => {
    await writeFile(dataDir, 'mine')
    expect(await refusal()).toMatch(
      /^mykafka serve: KAFKA_STORAGE_ERROR: .* could not be opened: (EEXIST|ENOTDIR): .*\n$/,
    )
    await rm(dataDir)
    await symlink(join(root, 'nowhere', 'at', 'all'), dataDir)
    expect(await refusal()).toMatch(
      /^mykafka serve: KAFKA_STORAGE_ERROR: .* could not be opened: (ENOENT|EEXIST|ENOTDIR): .*\n$/,
    )
    await rm(dataDir)
    await mkdir(dataDir)
    await writeFile(join(dataDir, '@broker'), 'mine')
    expect(await refusal()).toMatch(
      /^mykafka serve: KAFKA_STORAGE_ERROR: .* could not be opened: (EEXIST|ENOTDIR): .*@broker.*\n$/,
    )
  })

  it('a link to a directory is as good as the directory; a file in the place of a partition takes it offline', async () => {
    await mkdir(join(root, 'elsewhere'))
    await symlink(join(root, 'elsewhere'), dataDir)
    const { broker } = await start()
    expect(await broker.stop()).toEqual({ code: 0, signal: null })
    await rm(join(root, 'elsewhere', 't', '1'), { recursive: true })
    await writeFile(join(root, 'elsewhere', 't', '1'), 'mine')
    const again = await BrokerProcess.start({ dataDir })
    expect(again.log.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['left alone: not a partition', 'a partition is offline: its directory is missing']),
    )
    const client = await Client.connect({ port: again.port })
    expect(await client.fetch('t', 0, 0)).toHaveLength(1)
    await expect(client.fetch('t', 1, 0)).rejects.toMatchObject(REFUSED)
    await client.close()
    await again.stop()
  })
})
