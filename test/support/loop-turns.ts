/** How often the event loop turned while something was done, and what came of it. */
export async function turnsDuring<T>(work: () => T | Promise<T>): Promise<{ turns: number; result: T }> {
  let turns = 0
  let next: NodeJS.Immediate
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  next = setImmediate(count)
  try {
    const result = await work()
    return { turns, result }
  } finally {
    clearImmediate(next)
  }
}
