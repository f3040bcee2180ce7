/** What a terminal would obey, and what turns the direction of the text. */
const CONTROLS = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu
/** The same in the middle of JSON, where it is not escaped; and what is. */
const RAW_CONTROLS = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu
const ESCAPES = /\\(?:u00[01][\da-f]|.)/g
const ESCAPED_CONTROL = /^\\[ubfr]/

const shown = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A text that others chose, for a terminal: control characters are shown, not sent. */
export function visible(text: string): string {
  return text.replace(CONTROLS, shown)
}

/** A line of JSON whose texts are for a terminal. Ends of lines and tabulators in them stay: stacks have them. */
export function visibleJson(line: string): string {
  return line
    .replace(ESCAPES, (found) => (ESCAPED_CONTROL.test(found) ? `\\${found}` : found))
    .replace(RAW_CONTROLS, (character) => `\\${shown(character)}`)
}

/** JSON with all controls escaped: whoever shows it on a terminal is not commanded by it. */
export function jsonText(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return escapedJson(JSON.stringify(value, replacer))
}

/** JSON that says the same, its controls escaped. */
export function escapedJson(json: string): string {
  return json.replace(RAW_CONTROLS, shown)
}
