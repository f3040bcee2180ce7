import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * The functions of a package that is a native addon. Not by import: on a starved machine what that gave had no functions
 * now and then, for as long as the process lived.
 *
 * @throws Error where it cannot be loaded, or lacks one of them; the next attempt loads it anew
 */
export function codecPackage<Functions extends object>(
  name: string,
  functions: readonly (keyof Functions)[],
): Functions {
  const loaded = require(name) as Functions
  const missing = functions.find((each) => typeof loaded[each] !== 'function')
  if (missing === undefined) return loaded
  delete require.cache[require.resolve(name)]
  throw new Error(`the package ${name} has no ${String(missing)}`)
}
