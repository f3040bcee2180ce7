/**
 * Conversions of what is to be appended to one log, in the order in which it came: a batch that is decompressed on a
 * thread is not overtaken by one that needs no decompression.
 */
export class AppendOrder {
  /** The last conversion of each log that is under way. */
  readonly #last = new WeakMap<object, Promise<void>>()

  /**
   * @param log - whose order is kept
   * @param convert - at once where nothing is under way
   * @param append - begins the append before it returns; it may throw
   */
  run<Converted, Result>(
    log: object,
    convert: () => Converted | Promise<Converted>,
    append: (converted: Converted) => Promise<Result>,
  ): Promise<Result> {
    const last = this.#last.get(log)
    if (last === undefined) {
      try {
        const converted = convert()
        return converted instanceof Promise ? this.#follow(log, converted, append) : append(converted)
      } catch (error) {
        return Promise.reject(error)
      }
    }
    return this.#follow(log, last.then(convert), append)
  }

  #follow<Converted, Result>(
    log: object,
    converted: Promise<Converted>,
    append: (converted: Converted) => Promise<Result>,
  ): Promise<Result> {
    // In an object: the next one waits until this append has begun, not until it is done.
    const begun = converted.then((value) => ({ appended: append(value) }))
    const done = begun.then(
      () => {},
      () => {},
    )
    this.#last.set(log, done)
    void done.then(() => {
      if (this.#last.get(log) === done) this.#last.delete(log)
    })
    return begun.then(({ appended }) => appended)
  }
}
