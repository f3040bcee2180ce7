import { describe, it } from 'vitest'
import { testRandom } from '../support/random.js'
import { killUnderCompaction } from './scenarios/compaction.js'
import { killUnderIdempotentProducers } from './scenarios/idempotence.js'
import { killUnderCommits } from './scenarios/offsets.js'
import { killUnderProducer } from './scenarios/producer.js'
import { killUnderProducers } from './scenarios/records.js'
import { killUnderRetention } from './scenarios/retention.js'
import { killUnderTopicChanges } from './scenarios/topic-changes.js'
import { killUnderCreations } from './scenarios/topics.js'

describe('behind kill -9 at a random moment', () => {
  it('every acknowledged record is at its offset, and nothing else than what was sent', async () => {
    await killUnderProducers(testRandom(), 2)
  })

  it('the latest acknowledged commit of each key is there, or one sent behind it, compacted or not', async () => {
    await killUnderCommits(testRandom(), 2, true)
  })

  it('of each key of a compacted topic the last value is there, and nothing twice', async () => {
    await killUnderCompaction(testRandom(), 1)
  })

  it('no batch of an idempotent producer is lost, and none is there twice', async () => {
    await killUnderIdempotentProducers(testRandom(), 2)
  })

  it('what a producer sent is there, in order, and twice only where it was sent again', async () => {
    await killUnderProducer(testRandom(), 1)
  })

  it('retention leaves the end of a log without a gap, and no offset is given twice', async () => {
    await killUnderRetention(testRandom(), 2)
  })

  it('a topic is there whole or not at all', async () => {
    await killUnderCreations(testRandom(), 1)
  })

  it('a topic that is changed or deleted is as it was or as it was to be', async () => {
    await killUnderTopicChanges(testRandom(), 1)
  })
})
