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

const TIMEOUT_MS = 240_000

describe('behind kill -9 at a random moment, many times', () => {
  it.each([1, 2, 3, 4, 5])('every acknowledged record is at its offset, run %i', { timeout: TIMEOUT_MS }, async () => {
    await killUnderProducers(testRandom(), 8)
  })

  it('the latest acknowledged commit of each key is there', { timeout: TIMEOUT_MS }, async () => {
    await killUnderCommits(testRandom(), 25)
  })

  it('that is so where the commits are compacted all the while', { timeout: TIMEOUT_MS }, async () => {
    await killUnderCommits(testRandom(), 20, true)
  })

  it.each([1, 2])(
    'of each key of a compacted topic the last value is there, run %i',
    { timeout: TIMEOUT_MS },
    async () => {
      await killUnderCompaction(testRandom(), 12)
    },
  )

  it.each([1, 2])('no batch of an idempotent producer is there twice, run %i', { timeout: TIMEOUT_MS }, async () => {
    await killUnderIdempotentProducers(testRandom(), 12)
  })

  it.each([1, 2])('what a producer sent is there, in order, run %i', { timeout: TIMEOUT_MS }, async () => {
    await killUnderProducer(testRandom(), 15)
  })

  it('retention leaves the end of a log without a gap', { timeout: TIMEOUT_MS }, async () => {
    await killUnderRetention(testRandom(), 25)
  })

  it('a topic is there whole or not at all', { timeout: TIMEOUT_MS }, async () => {
    await killUnderCreations(testRandom(), 12)
  })

  it('a topic that is changed or deleted is as it was or as it was to be', { timeout: TIMEOUT_MS }, async () => {
    await killUnderTopicChanges(testRandom(), 15)
  })
})
