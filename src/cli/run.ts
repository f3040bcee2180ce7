/**
 * Runs what the arguments ask for. Only what is asked for is loaded: start-up time counts, a broker's most.
 *
 * @returns the exit code
 */
export async function run(args: readonly string[]): Promise<number> {
  if (args[0] === 'serve') {
    const { servePlainly } = await import('./serve/serve-plainly.js')
    const exitCode = await servePlainly(args.slice(1))
    if (exitCode !== null) return exitCode
  }
  const { runProgram } = await import('./program.js')
  return await runProgram(args)
}
