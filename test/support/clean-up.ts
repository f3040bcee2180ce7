/**
 * What the modules here clear up behind each test. Test files share a process, where such a module is loaded once: a
 * hook of its own would belong to the first file alone.
 */
const cleanUps: (() => unknown)[] = []

/** Behind each test of every file from now on; the last one that was registered comes first. */
export function behindEachTest(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp)
}

/** A failure of one keeps none of the others from running. */
export async function cleanUp(): Promise<void> {
  const failures: unknown[] = []
  for (const each of cleanUps.toReversed()) {
    try {
      await each()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
}
