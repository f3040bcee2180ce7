import { fileURLToPath } from 'node:url'

/** test/interop/ */
export const INTEROP = fileURLToPath(new URL('..', import.meta.url))

/** What is installed for the clients. It is not tracked, and may be removed. */
export const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url))
