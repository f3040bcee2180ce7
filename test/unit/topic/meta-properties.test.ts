import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { StateDirectory } from '../../../src/log/state-directory.js'
import { silentLogger } from '../../../src/logger.js'
import { loadIdentity, META_PROPERTIES, newKafkaId, readIdentity } from '../../../src/topic/meta-properties.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('gives a directory an identity once, and keeps it', async () => {
  const state = await StateDirectory.lock(await temporaryDirectory(), silentLogger)
  try {
    const given = await loadIdentity(state, 7)
    expect(given).toMatchObject({ nodeId: 7, isNew: true })
    // Whatever a later start is told.
    expect(await loadIdentity(state, 8)).toEqual({ clusterId: given.clusterId, nodeId: 7 })
  } finally {
    state.unlock()
  }
})

it('makes ids as Kafka does, none of which looks like an option', () => {
  const ids = Array.from({ length: 2000 }, newKafkaId)
  expect(ids.every((id) => /^[\w][\w-]{21}$/.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(ids.length)
})

it.each([
  ['no version', 'cluster.id=x\n', 'UNSUPPORTED_FORMAT_VERSION'],
  ['no id', 'version=1\n', 'UNSUPPORTED_FORMAT_VERSION'],
  ['a later version', 'version=2\ncluster.id=x\n', 'UNSUPPORTED_FORMAT_VERSION'],
  ['a node that is none', 'version=1\ncluster.id=x\nnode.id=1.5\n', 'INVALID_CONFIG'],
])('refuses a file with %s', async (_, text, code) => {
  const path = `${await temporaryDirectory()}/${META_PROPERTIES}`
  writeFileSync(path, text)
  await expect(readIdentity(path, 1)).rejects.toMatchObject({ code })
})
