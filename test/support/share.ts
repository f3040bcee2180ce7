import fc from 'fast-check'

/**
 * Where in a whole, from 0 to below 1, evenly: most doubles between them are close to 0, and with `fc.double` nearly all
 * that is done somewhere would be done at the beginning.
 */
export const share = fc.nat({ max: 2 ** 20 - 1 }).map((n) => n / 2 ** 20)
