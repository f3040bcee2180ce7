import { describe, expect, it } from 'vitest'
import { checkTopicName, isTopicName } from '../../../src/topic/topic-name.js'

describe('a topic name', () => {
  it("is what Kafka's rule allows", () => {
    for (const name of ['a', 'reservation-events', '__consumer_offsets', 'A.b_C-9', '...', '.a', 'x'.repeat(249)]) {
      expect(isTopicName(name)).toBe(true)
      expect(() => checkTopicName(name)).not.toThrow()
    }
  })

  it('is refused with the reason otherwise', () => {
    const refused: [string, string][] = [
      ['', 'is empty'],
      ['.', 'is reserved'],
      ['..', 'is reserved'],
      ['x'.repeat(250), 'is longer than 249 characters'],
      ['a/b', 'characters other than'],
      ['a b', 'characters other than'],
      ['a\n', 'characters other than'],
      ['@broker', 'characters other than'],
      ['좌석', 'characters other than'],
    ]
    for (const [name, reason] of refused) {
      expect(isTopicName(name)).toBe(false)
      expect(() => checkTopicName(name)).toThrow(
        expect.objectContaining({ code: 'INVALID_TOPIC_EXCEPTION', message: expect.stringContaining(reason) }),
      )
    }
  })
})
