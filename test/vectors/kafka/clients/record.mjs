/**
 * Records what real clients send to a real Apache Kafka, and what that answers: the first request of each API and
 * version, per client. README.md says how to run it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Longer responses show nothing more. */
const MAX_RESPONSE = 4096

const { KAFKA_CLASSPATH, OUTPUT } = process.env
const directory = mkdtempSync(join(tmpdir(), 'kafka-record-'))
const java = (main, ...args) => ['-cp', KAFKA_CLASSPATH, '-Xmx512m', main, ...args]

/** The bytes of a stream, given on frame by frame without their length. */
function frames(take) {
  let pending = Buffer.alloc(0)
  return (chunk) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 4 && pending.length >= 4 + pending.readInt32BE(0)) {
      const end = 4 + pending.readInt32BE(0)
      take(pending.subarray(4, end))
      pending = pending.subarray(end)
    }
  }
}

let exchanges = new Map()

function record(client, server) {
  const asked = new Map()
  client.on(
    'data',
    frames((request) => {
      const key = `${request.readInt16BE(0)}.${request.readInt16BE(2)}`
      if (exchanges.has(key)) return
      exchanges.set(key, { key: request.readInt16BE(0), version: request.readInt16BE(2), request: request.toString('hex') })
      asked.set(request.readInt32BE(4), exchanges.get(key))
    }),
  )
  server.on(
    'data',
    frames((response) => {
      const exchange = asked.get(response.readInt32BE(0))
      asked.delete(response.readInt32BE(0))
      if (exchange && response.length <= MAX_RESPONSE) exchange.response = response.toString('hex')
    }),
  )
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

const [brokerPort, controllerPort] = [await freePort(), await freePort()]
const proxy = createServer((client) => {
  const server = connect(brokerPort, '127.0.0.1')
  record(client, server)
  client.pipe(server).pipe(client)
  client.on('error', () => server.destroy())
  server.on('error', () => client.destroy())
}).listen(0, '127.0.0.1')
await once(proxy, 'listening')
const bootstrap = `127.0.0.1:${proxy.address().port}`

const config = join(directory, 'server.properties')
writeFileSync(
  config,
  `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${brokerPort},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://${bootstrap}
controller.listener.names=CONTROLLER
log.dirs=${join(directory, 'data')}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`,
)
const formatted = spawnSync('java', java('kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', config))
if (formatted.status !== 0) throw new Error(String(formatted.stderr))
const broker = spawn('java', java('kafka.Kafka', config), { stdio: 'ignore' })
for (let answered = false; !answered; ) {
  const probe = connect(brokerPort, '127.0.0.1')
  answered = await Promise.race([once(probe, 'connect').then(() => true), once(probe, 'error')]).catch(() => false)
  answered = answered === true
  probe.destroy()
  if (!answered) await new Promise((resolve) => setTimeout(resolve, 500))
}

const clients = []
for (const command of process.argv.slice(2)) {
  exchanges = new Map()
  // Prints its name and version, and exits with 0 when all that it tried worked.
  const client = spawn('sh', ['-c', command], { env: { ...process.env, BOOTSTRAP: bootstrap }, stdio: ['ignore', 'pipe', 'inherit'] })
  let name = ''
  client.stdout.on('data', (text) => {
    name += text
  })
  const [code] = await once(client, 'close')
  console.log(`${name.trim()}: ${code === 0 ? 'done' : `failed with ${code}`}, ${exchanges.size} kinds of requests`)
  clients.push({ client: name.trim(), exchanges: [...exchanges.values()].sort((a, b) => a.key - b.key || a.version - b.version) })
}
const lines = clients.map(({ client, exchanges: of }) => `{"client":${JSON.stringify(client)},"exchanges":[\n${of.map((each) => JSON.stringify(each)).join(',\n')}\n]}`)
writeFileSync(OUTPUT, `[${lines.join(',\n')}]\n`)
broker.kill()
await once(broker, 'close')
rmSync(directory, { recursive: true })
process.exit()
