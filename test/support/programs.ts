/**
 * The programs that tests start from their TypeScript, compiled once a run: to compile them as they load is most of what
 * such a process does.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

const addon = createRequire(import.meta.url)('../../scripts/addon.cjs') as { root: string; sourceStamp(): string }

const PROGRAMS = {
  broker: 'test/support/broker-program.ts',
  consumer: 'test/support/consumer-program.ts',
  'log-life': 'test/support/log-life/program.ts',
  'recorded-life': 'test/faults/disk/program.ts',
  'slow-consumer': 'test/support/slow-consumer-program.ts',
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where they are. */
    programs: string
  }
}

/** For the projects that start such programs. */
export default async function setup(project: TestProject): Promise<() => void> {
  // Each run has its own. From there the addon and the vectors are where the sources find them.
  const directory = join(addon.root, 'test', `.programs-${process.pid}`)
  removeAbandoned(join(addon.root, 'test'))
  if (!existsSync(directory)) await compile(directory)
  project.onTestsRerun(() => compile(directory))
  project.provide('programs', directory)
  return () => rmSync(directory, { recursive: true, force: true })
}

/** One of them, for a program that is no test. */
export async function compiledProgram(name: keyof typeof PROGRAMS): Promise<{ program: string; remove(): void }> {
  const directory = join(addon.root, 'test', `.programs-${process.pid}`)
  removeAbandoned(join(addon.root, 'test'))
  await compile(directory, { [name]: PROGRAMS[name] })
  return {
    program: join(directory, `${name}.js`),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** What a run that was killed has left behind. */
function removeAbandoned(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = /^\.programs-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(directory, name), { recursive: true, force: true })
  }
}

/** @param programs - which of them; default: all */
async function compile(directory: string, programs: Readonly<Record<string, string>> = PROGRAMS): Promise<void> {
  await build({
    absWorkingDir: addon.root,
    entryPoints: programs,
    outdir: directory,
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    logLevel: 'warning',
  })
  writeFileSync(join(directory, 'source-stamp.json'), JSON.stringify({ stamp: addon.sourceStamp() }))
}
