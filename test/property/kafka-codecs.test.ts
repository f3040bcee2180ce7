import { expect, it } from 'vitest'
import { codecs, describeMessages } from '../support/kafka-codec-properties.js'

describeMessages(1)

it('there is a codec for every schema, and every API has a key of its own', () => {
  expect(codecs.length).toBeGreaterThan(0)
  expect(codecs.map(({ api }) => api.key)).toEqual(codecs.map(({ model }) => model.key))
  expect(new Set(codecs.map(({ api }) => api.key)).size).toBe(codecs.length)
})
