/**
 * Writes src/wire/kafka/generated/ from src/wire/kafka/schema/: a codec for each API. What biome says of the form
 * is done to it, so that a second run changes nothing.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ApiSchema } from '../src/wire/kafka/schema/schema.js'
import { emitApi } from './kafka-codecs/emit-api.js'
import { modelOf } from './kafka-codecs/model.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const SCHEMAS = 'src/wire/kafka/schema'
const GENERATED = 'src/wire/kafka/generated'

/** Every schema with the file that holds it, by file name. */
export async function loadSchemas(): Promise<{ file: string; schema: ApiSchema }[]> {
  const files = readdirSync(join(root, SCHEMAS)).filter((file) => file.endsWith('.ts') && file !== 'schema.ts')
  const loaded = files.sort().map(async (file) => {
    const exported: Record<string, unknown> = await import(pathToFileURL(join(root, SCHEMAS, file)).href)
    const [name, schema, ...more] = Object.entries(exported).flat() as [string?, ApiSchema?, ...unknown[]]
    if (name === undefined || schema === undefined || more.length > 0) throw new Error(`${file}: exports no one schema`)
    const expected = schema.name.charAt(0).toLowerCase() + schema.name.slice(1)
    if (name !== expected || file !== `${kebab(schema.name)}.ts`) {
      throw new Error(`${file}: ${schema.name} belongs into ${kebab(schema.name)}.ts, as ${expected}`)
    }
    return { file, schema }
  })
  const schemas = await Promise.all(loaded)
  const keys = schemas.map(({ schema }) => schema.key)
  const twice = keys.find((key, i) => keys.indexOf(key) !== i)
  if (twice !== undefined) throw new Error(`two schemas have the api key ${twice}`)
  return schemas
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()
}

async function generate(): Promise<void> {
  const texts = (await loadSchemas()).map(({ file, schema }) => ({
    file,
    text: emitApi(modelOf(schema), `../schema/${file}`),
  }))
  const folder = join(root, GENERATED)
  mkdirSync(folder, { recursive: true })
  for (const old of readdirSync(folder)) {
    if (!texts.some(({ file }) => file === old)) rmSync(join(folder, old))
  }
  const before = readdirSync(folder).map((name) => {
    const file = join(folder, name)
    return { file, text: readFileSync(file, 'utf8'), mtime: statSync(file).mtime }
  })
  for (const { file, text } of texts) writeFileSync(join(folder, basename(file)), text)
  const biome = join(root, 'node_modules/.bin/biome')
  execFileSync(biome, ['check', '--write', '--error-on-warnings', GENERATED], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // What has not changed is no reason to build anew.
  for (const { file, text, mtime } of before) if (readFileSync(file, 'utf8') === text) utimesSync(file, mtime, mtime)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await generate()
