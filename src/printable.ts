/** What moves a cursor, rings, begins a line or turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * The text with its control characters as escapes: what a stranger sent goes into messages, and neither the lines of a
 * log nor the terminal that shows them are the stranger's.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
