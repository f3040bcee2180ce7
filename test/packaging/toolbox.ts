/** Folders of links that serve as PATH, so that a run finds the tools of its toolbox and no others. */
import { existsSync, mkdtempSync, realpathSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const TOOLS = {
  base: 'sh bash env uname cat cp mv rm ln mkdir rmdir touch chmod echo printf sed grep sort tr head dirname basename expr date tar gzip ldd'.split(
    ' ',
  ),
  compiler: ['g++', 'as', 'ld', 'ar', 'strip'],
  make: ['make'],
  cmake: ['cmake'],
  python: ['python3'],
} as const

export type Tool = Exclude<keyof typeof TOOLS, 'base'>

/** The system's own folders come first: a version manager's shim in PATH would need more than itself. */
function locate(name: string): string | undefined {
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(process.env.PATH ?? '').split(delimiter)]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** npm and npx, of the npm that runs this, beside the Node that runs this. */
function linkNode(folder: string): void {
  symlinkSync(process.execPath, join(folder, 'node'))
  const npm = process.env.npm_execpath ?? locate('npm')
  if (npm === undefined) throw new Error('there is no npm')
  const bin = dirname(realpathSync(npm))
  symlinkSync(join(bin, 'npm-cli.js'), join(folder, 'npm'))
  symlinkSync(join(bin, 'npx-cli.js'), join(folder, 'npx'))
}

/** A PATH with Node, npm, a few tools of the shell and the ones that are asked for. */
export function toolbox(...tools: Tool[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'mykafka-toolbox-'))
  linkNode(folder)
  for (const name of [...TOOLS.base, ...tools.flatMap((tool) => TOOLS[tool])]) {
    const target = locate(name)
    if (target !== undefined) symlinkSync(target, join(folder, name))
    else if (!(TOOLS.base as readonly string[]).includes(name)) throw new Error(`there is no ${name} here`)
  }
  return folder
}
