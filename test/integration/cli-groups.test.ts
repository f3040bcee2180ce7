import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.js'
import { startBroker } from '../support/broker.js'
import { runCli } from '../support/cli-process.js'
import { connect, kafkajs } from '../support/kafkajs.js'

/** Partition 0 of `t` has ten records, of which the group `board` has read four; partition 1 has three. */
async function start() {
  const { broker, port } = await startBroker()
  const client = await Client.connect({ port })
  await client.createTopic('t', 2)
  await client.produce('t', Array(10).fill({ value: 'x' }), { partition: 0 })
  await client.produce('t', Array(3).fill({ value: 'x' }), { partition: 1 })
  await client.commitOffset('board', 't', 0, 4)
  const groups = (...args: string[]) => runCli(['groups', ...args, '--bootstrap-server', `127.0.0.1:${port}`])
  return { broker, client, groups }
}

const lines = (text: string) => text.trimEnd().split('\n')

test('groups are listed, described and deleted', async () => {
  const { client, groups } = await start()
  await client.commitOffset('audit', 't', 1, 3)
  const [list, states, described, json] = await Promise.all([
    groups('list'),
    groups('list', '--state'),
    groups('describe', 'board'),
    groups('describe', '--json'),
  ])
  expect(list).toEqual({ code: 0, stdout: 'audit\nboard\n', stderr: '' })
  expect(lines(states.stdout)).toEqual(['GROUP  TYPE  STATE', 'audit  -     Empty', 'board  -     Empty'])
  expect(described.stderr).toBe('mykafka groups: the group board has no active members\n')
  expect(lines(described.stdout).map((line) => line.split(/ +/))).toEqual([
    ['GROUP', 'TOPIC', 'PARTITION', 'CURRENT-OFFSET', 'LOG-END-OFFSET', 'LAG', 'CONSUMER-ID', 'HOST', 'CLIENT-ID'],
    ['board', 't', '0', '4', '10', '6', '-', '-', '-'],
  ])
  expect(lines(json.stdout).map((line) => JSON.parse(line))).toMatchObject([
    { groupId: 'audit', state: 'Empty', members: [], partitions: [{ topic: 't', partition: 1, lag: 0 }] },
    { groupId: 'board', partitions: [{ topic: 't', partition: 0, committedOffset: 4, logEndOffset: 10, lag: 6 }] },
  ])
  expect(await groups('delete', 'audit')).toEqual({ code: 0, stdout: 'Deleted group audit.\n', stderr: '' })
  const gone = await groups('describe', 'audit')
  expect(gone).toEqual({ code: 1, stdout: '', stderr: 'mykafka groups: GROUP_ID_NOT_FOUND: there is no group audit\n' })
})

test('a reset only shows what it would do, until it is told to', async () => {
  const { client, groups } = await start()
  const args = ['reset-offsets', 'board', '--topic', 't:0', '--topic', 't:1', '--to-offset', '5']
  const dry = await groups(...args)
  expect(dry.code).toBe(0)
  expect(lines(dry.stdout)).toEqual([
    'GROUP  TOPIC  PARTITION  CURRENT-OFFSET  NEW-OFFSET',
    'board  t      0          4               5',
    'board  t      1          -               3',
  ])
  expect(lines(dry.stderr)).toEqual([
    'mykafka groups: the offset 5 is above the log end of t-1: it becomes the log end, 3',
    'mykafka groups: nothing is changed without --execute',
  ])
  expect(await client.fetchOffset('board', 't', 0)).toBe(4)
  const done = await groups(...args, '--execute', '--json')
  expect(lines(done.stdout).map((line) => JSON.parse(line))).toMatchObject([
    { groupId: 'board', topic: 't', partition: 0, previousOffset: 4, newOffset: 5, executed: true },
    { partition: 1, previousOffset: null, newOffset: 3 },
  ])
  expect(await client.fetchOffset('board', 't', 0)).toBe(5)
  const back = await groups('reset-offsets', 'board', '--all-topics', '--shift-by', '-2', '--execute')
  expect(back).toMatchObject({ code: 0, stderr: '' })
  expect([await client.fetchOffset('board', 't', 0), await client.fetchOffset('board', 't', 1)]).toEqual([3, 1])
})

test('the members of a group are described, and nobody else moves its offsets', async () => {
  const { broker, client, groups } = await start()
  const consumer = kafkajs(broker, { clientId: 'terminal' }).consumer({ groupId: 'board' })
  const joined = new Promise<string>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => resolve(payload.memberId))
  })
  await connect(consumer)
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  await consumer.run({ eachMessage: async () => {} })
  const memberId = await joined
  const [described, members, state, reset] = await Promise.all([
    groups('describe', 'board'),
    groups('describe', 'board', '--members'),
    groups('describe', 'board', '--state'),
    groups('reset-offsets', 'board', '--all-topics', '--to-earliest', '--execute'),
  ])
  expect(described.stderr).toBe('')
  for (const line of lines(described.stdout).slice(1)) expect(line).toMatch(`${memberId}  /127.0.0.1  terminal`)
  expect(lines(members.stdout)[1]?.split(/ +/)).toEqual([
    'board',
    memberId,
    '-',
    '/127.0.0.1',
    'terminal',
    '2',
    't(0,1)',
  ])
  expect(lines(state.stdout)[1]?.split(/ +/)).toEqual(['board', 'RoundRobinAssigner', 'Stable', '1'])
  expect(reset).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'mykafka groups: NON_EMPTY_GROUP: offsets can be reset only while the group board is inactive, but its state is Stable\n',
  })
  await consumer.disconnect()
  await client.close()
})
