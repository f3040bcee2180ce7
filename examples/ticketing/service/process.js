/**
 * Runs a process of the example until it is told to stop. An error that nothing catches ends it: whoever supervises it
 * starts it again.
 *
 * @param {(signal: AbortSignal) => Promise<void>} run
 */
export async function untilStopped(run) {
  const stop = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT']) process.once(name, () => stop.abort())
  try {
    await run(stop.signal)
  } catch (error) {
    if (!stop.signal.aborted) throw error
  }
}
