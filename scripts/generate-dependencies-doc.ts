/**
 * Writes docs/dependencies.md from package-lock.json: what is installed with the package, and under which licence. Fails
 * for one that asks for more than to be named.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const LOCK = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const DEPENDENCIES_DOC = fileURLToPath(new URL('../docs/dependencies.md', import.meta.url))

const PERMISSIVE: ReadonlySet<string> = new Set([
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
])

interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly cpu?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Whether an expression of SPDX names permissive licences only, or such as one's choice. */
export function isPermissive(license: string): boolean {
  const all = license.replaceAll(/[()]/g, '').split(' AND ')
  return all.every((part) => part.split(' OR ').some((name) => PERMISSIVE.has(name.trim())))
}

function renderDependencies(packages: Readonly<Record<string, LockedPackage>>): string {
  const direct = new Set(Object.keys(packages['']?.dependencies ?? {}))
  const rows: string[] = []
  let binaries = 0
  for (const [path, { version = '', license = 'none', dev, optional, cpu }] of Object.entries(packages)) {
    if (path === '' || dev === true) continue
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (!isPermissive(license)) throw new Error(`${name} ${version} has the licence ${license}`)
    if (optional === true && cpu !== undefined) binaries++
    else rows.push(`| ${direct.has(name) ? `**${name}**` : name} | ${version} | ${license} |`)
  }
  return [
    '# Dependencies',
    '',
    '<!-- Made by scripts/generate-dependencies-doc.ts from package-lock.json. Do not edit. -->',
    '',
    'What `npm install` puts beside MyKafka, with its licence. In bold what it asks for itself; the rest is what those ask for.',
    `Of snappy and lz4-napi come binaries for the platform (${binaries} packages in all, of which two are installed), under`,
    'their licences. MyKafka itself is under the Apache License 2.0.',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as { packages: Record<string, LockedPackage> }
  writeFileSync(DEPENDENCIES_DOC, renderDependencies(packages))
}
