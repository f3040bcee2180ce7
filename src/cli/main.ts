/**
 * The command `mykafka`. Only what is asked for is loaded: start-up time counts, a broker's most.
 *
 * @module
 */

const args = process.argv.slice(2)

async function run(): Promise<number> {
  if (args[0] === 'serve') {
    const { servePlainly } = await import('./serve/serve-plainly.js')
    const exitCode = await servePlainly(args.slice(1))
    if (exitCode !== null) return exitCode
  }
  const { runProgram } = await import('./program.js')
  return await runProgram(args)
}

process.exitCode = await run()
