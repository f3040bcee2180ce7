import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/cli-process.js'
import { temporaryDirectory } from '../support/temporary.js'

const partitions = (...args: string[]) => runCli(['partitions', ...args])

describe('mykafka partitions plan', () => {
  it('tells which share of keys moves, by each partitioner, and what that does to order', async () => {
    const { code, stdout, stderr } = await partitions('plan', '--from', '6', '--to', '8')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/expected +75\.0 %/)
    expect(stdout).toMatch(/murmur2 +74\.6 % +\(7462 of 10000 keys, user-0 to user-9999\)/)
    expect(stdout).toMatch(/java-hash +75\.0 % +\(7504 of 10000 keys/)
    expect(stdout).toMatch(/A key that moves has its old records in one partition and its new ones in another/)
  })

  it('does so for a program', async () => {
    const { stdout } = await partitions('plan', '--from', '6', '--to', '12', '--json')
    expect(JSON.parse(stdout)).toEqual({
      from: 6,
      to: 12,
      expectedShare: 0.5,
      keys: 10_000,
      source: 'user-0 to user-9999',
      partitioners: { murmur2: { moved: 5039, share: 0.5039 }, 'java-hash': { moved: 4998, share: 0.4998 } },
    })
  })

  it('counts the keys of a file, one a line', async () => {
    const file = join(await temporaryDirectory(), 'keys.txt')
    // By test/vectors/partitioners.json: of these foobar moves by murmur2, and user-42 by java-hash.
    await writeFile(file, 'user-42\nfoobar\r\nabc\nfoobar')
    const { stdout } = await partitions('plan', '--from', '6', '--to', '8', '--keys', file, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      keys: 4,
      source: `of ${file}`,
      partitioners: { murmur2: { moved: 2, share: 0.5 }, 'java-hash': { moved: 3, share: 0.75 } },
    })
  })

  it.each([
    ['no growth', ['--from', '6', '--to', '6'], 2, /partitions are only added/],
    ['less', ['--from', '6', '--to', '3'], 2, /partitions are only added/],
    ['no number', ['--from', 'six', '--to', '8'], 2, /an integer from 1 to 10000/],
    ['nothing said', ['--from', '6'], 2, /--to/],
    ['a file that is not there', ['--from', '6', '--to', '8', '--keys', '/nowhere/keys'], 1, /ENOENT/],
    ['a file without keys', ['--from', '6', '--to', '8', '--keys', '/dev/null'], 1, /holds no keys/],
  ])('%s is one line of reproach', async (_, args, code, reason) => {
    const result = await partitions('plan', ...args)
    expect(result).toMatchObject({ code, stdout: '' })
    expect(result.stderr).toMatch(reason)
    expect(result.stderr.trimEnd()).not.toContain('\n')
  })
})

describe('mykafka partitions count', () => {
  it('is the larger of what producers and consumers need', async () => {
    const args = ['count', '--target', '300', '--produce-rate', '50', '--consume-rate', '20']
    expect(await partitions(...args)).toEqual({
      code: 0,
      stdout: '15 partitions: 6 for the producers, 15 for the consumers.\n',
      stderr: '',
    })
    expect(JSON.parse((await partitions(...args, '--json')).stdout)).toEqual({
      target: 300,
      produceRate: 50,
      consumeRate: 20,
      partitions: 15,
      forProducers: 6,
      forConsumers: 15,
    })
  })

  it('refuses what is no rate', async () => {
    for (const rate of ['0', '-1', 'fast', '1e3', '']) {
      const { code, stderr } = await partitions('count', '--target', '1', '--produce-rate', rate, '--consume-rate', '1')
      expect({ rate, code }).toEqual({ rate, code: 2 })
      expect(stderr).toMatch(/a number above 0/)
    }
  })
})
