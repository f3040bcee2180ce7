import { expect, it } from 'vitest'
import { ProducerIdManager } from '../../../src/topic/producer-id-manager.js'
import { openLogs } from '../../support/log-manager.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('gives no producer id twice, also behind a restart', async () => {
  const dataDirectory = await temporaryDirectory()
  const given: number[] = []
  for (let start = 0; start < 3; start++) {
    const logs = await openLogs(dataDirectory)
    const ids = new ProducerIdManager(logs.metadata)
    given.push(...(await Promise.all(Array.from({ length: 1500 }, () => ids.next()))))
    await logs.close()
  }
  expect(new Set(given).size).toBe(4500)
  expect(Math.min(...given)).toBe(0)
})
