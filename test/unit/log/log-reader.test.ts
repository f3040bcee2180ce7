import { expect, it } from 'vitest'
import { MyKafkaError } from '../../../src/errors.js'
import { SliceTracker } from '../../../src/log/file-slice.js'
import { LogReader } from '../../../src/log/log-reader.js'
import { SegmentList } from '../../../src/log/segment-list.js'
import { native } from '../../../src/native/load.js'
import type { NativeSegment } from '../../../src/native/native.js'
import { packed } from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('a segment that cannot be read takes nothing from the ones before it', async () => {
  const options = { directory: await temporaryDirectory(), indexIntervalBytes: 4096, indexMaxBytes: 1024 }
  const first = native.createSegment({ ...options, baseOffset: 0 })
  first.append([packed([{ value: 'a' }, { value: 'b' }])], [2], [0], 0)
  const error = new MyKafkaError('KAFKA_STORAGE_ERROR', 'the disk refused')
  const second = {
    baseOffset: 2,
    findRange: () => {
      throw error
    },
  } as unknown as NativeSegment
  const tracker = new SliceTracker()
  const reader = new LogReader(new SegmentList([first, second]), tracker, () => {})
  const read = await reader.read({ offset: 0, maxBytes: 1000, upperBound: 4 })
  expect(read).toMatchObject({ count: 2, lastOffset: 1, slices: [{ segment: first, position: 0 }] })
  expect(() => reader.read({ offset: 2, maxBytes: 1000, upperBound: 4 })).toThrow(error)
  for (const slice of read.slices) slice.release()
  // Nothing of it is held any more.
  await tracker.idleFrom(first, 0)
  expect(() => first.unpin()).toThrow('unpin without a pin')
})
