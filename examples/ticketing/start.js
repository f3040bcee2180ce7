import { System } from './check/system.js'

const system = new System()
await system.start('play')
console.log(`bookings       ${system.bookingApi.address}
cancellations  ${system.cancellationApi.address}
broker         127.0.0.1:${system.broker.address}
database       ${system.env.DATABASE_URL}
statistics     ${system.env.STATISTICS_URL}
Ctrl-C ends it.`)
await new Promise((resolve) => {
  process.once('SIGINT', resolve)
  process.once('SIGTERM', resolve)
  system.signal.addEventListener('abort', resolve)
})
if (system.signal.aborted) console.error(system.signal.reason.message)
await (system.signal.aborted ? system.kill() : system.stop())
