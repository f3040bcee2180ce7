import { expect, it } from 'vitest'
import { codecPackage } from '../../../src/log/codec-packages.js'

it('a package that came without a function is an error of its loading, and is loaded anew', () => {
  type Some = { compressFrameSync(bytes: Buffer): Buffer; nothing(): void }
  expect(() => codecPackage<Some>('lz4-napi', ['compressFrameSync', 'nothing'])).toThrow(
    'the package lz4-napi has no nothing',
  )
  const { compressFrameSync } = codecPackage<Some>('lz4-napi', ['compressFrameSync'])
  expect(compressFrameSync(Buffer.from('x')).readUInt32LE()).toBe(0x184d2204)
})
