/** The files of a directory as a program sees them, and everything that a crash may have left of them on the disk. */
import { linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Random } from '../../support/random.js'
import { DiskFile, TASTES, type Taste } from './disk-file.js'
import type { TraceEvent } from './trace.js'

class Directory {
  readonly entries = new Map<string, Node>()
}

type Node = DiskFile | Directory

/** A name that is given to a file or a directory, or taken from it. */
interface Naming {
  readonly directory: Directory
  readonly name: string
  readonly node: Node | null
}

/** A call that changed names: it is on the disk whole or not at all. */
interface Change {
  readonly namings: readonly Naming[]
  isDurable: boolean
}

/** Which of the changes of names that were not synced are on the disk. */
export type Order =
  /** All up to some moment: the file system has a journal. */
  | 'journal'
  /** Any of them. */
  | 'any'

export interface CrashChoice {
  readonly order: Order
  /** How many of the changes of names are there. */
  readonly names: 'all' | 'synced' | 'some' | 'one-missing'
  /** Of the files, or null: each for itself. */
  readonly data: Taste | null
}

/** Everything that was written is there: the process was killed, the machine went on. */
export const KILLED: CrashChoice = { order: 'journal', names: 'all', data: 'all' }

export function randomChoice(random: Random): CrashChoice {
  return {
    order: random.pick(['journal', 'journal', 'any'] as const),
    names: random.pick(['all', 'synced', 'some', 'some', 'one-missing'] as const),
    data: random.next() < 0.5 ? null : random.pick(TASTES),
  }
}

/** A directory's tree as files: paths relative to it. Of a file with two names the second is a link. */
export interface Image {
  readonly directories: readonly string[]
  readonly files: ReadonlyMap<string, Buffer>
  readonly links: readonly (readonly [from: string, to: string])[]
}

/** What mapped files are called. */
const MAPPED = /\.(index|timeindex)(\.cleaned)?$/

export class DiskModel {
  readonly #path: string
  readonly #root = new Directory()
  readonly #handles = new Map<number, Node>()
  /** On the disk: what the changes that are all durable have made of it. */
  readonly #disk = new Map<Directory, Map<string, Node>>()
  #changes: Change[] = []

  /** @param path - of the directory, absolute */
  constructor(path: string, image?: Image) {
    this.#path = path
    if (image) this.#begin(image)
  }

  #begin({ directories, files, links }: Image): void {
    for (const directory of directories) this.#name(directory, new Directory())
    for (const [path, bytes] of files) {
      const file = DiskFile.of(bytes)
      file.isMapped = MAPPED.test(path)
      this.#name(path, file)
    }
    for (const [from, to] of links) this.#name(to, this.#find(from) as Node)
    for (const change of this.#changes) change.isDurable = true
    this.#forgetDurable()
  }

  apply(event: TraceEvent): void {
    switch (event.kind) {
      case 'open':
        this.#open(event)
        break
      case 'write':
        this.#file(event.handle).write(event.position, event.bytes)
        break
      case 'truncate':
        this.#file(event.handle).truncate(event.length)
        break
      case 'allocate':
        this.#file(event.handle).allocate(event.length)
        break
      case 'drop':
        this.#file(event.handle).dropCache()
        break
      case 'sync':
        this.#sync(event.handle, event.failed)
        break
      case 'mkdir':
        if (this.#relative(event.path) !== '') this.#name(this.#relative(event.path), new Directory())
        break
      case 'remove':
        this.#change([this.#naming(this.#relative(event.path), null)])
        break
      case 'link':
        this.#name(this.#relative(event.to), this.#at(event.path))
        break
      case 'rename':
        this.#rename(event.path, event.to)
        break
      case 'fault':
      case 'mark':
        break
    }
  }

  /** What is stored in a mapped file, seen from outside. */
  see(path: string, bytes: Buffer): void {
    const node = this.#find(this.#relative(path))
    if (node instanceof DiskFile) node.seen = bytes
  }

  /** What a crash now leaves. */
  afterCrash(random: Random, choice: CrashChoice): Image {
    const names = this.#namesAfterCrash(random, choice)
    const image = {
      directories: [] as string[],
      files: new Map<string, Buffer>(),
      links: [] as [from: string, to: string][],
    }
    const paths = new Map<DiskFile, string>()
    const walk = (directory: Directory, path: string): void => {
      for (const [name, node] of names.get(directory) ?? []) {
        const place = path === '' ? name : `${path}/${name}`
        if (node instanceof Directory) {
          image.directories.push(place)
          walk(node, place)
          continue
        }
        const before = paths.get(node)
        if (before !== undefined) image.links.push([before, place])
        else {
          paths.set(node, place)
          image.files.set(place, node.afterCrash(random, choice.data ?? random.pick(TASTES)))
        }
      }
    }
    walk(this.#root, '')
    return image
  }

  #namesAfterCrash(random: Random, { order, names }: CrashChoice): ReadonlyMap<Directory, ReadonlyMap<string, Node>> {
    const left = this.#chosen(random, order, names)
    const tree = new Map([...this.#disk].map(([directory, entries]) => [directory, new Map(entries)]))
    for (const { namings } of left) for (const naming of namings) give(tree, naming)
    return tree
  }

  #chosen(random: Random, order: Order, names: CrashChoice['names']): readonly Change[] {
    if (names === 'all') return this.#changes
    const pending = this.#changes.filter(({ isDurable }) => !isDurable)
    if (order === 'journal') {
      const synced = this.#changes.findLastIndex(({ isDurable }) => isDurable) + 1
      const most = this.#changes.length
      if (names === 'synced') return this.#changes.slice(0, synced)
      return this.#changes.slice(0, names === 'some' ? random.integer(synced, most) : Math.max(synced, most - 1))
    }
    const missing = pending.length > 0 ? random.pick(pending) : null
    return this.#changes.filter((change) => {
      if (change.isDurable) return true
      if (names === 'one-missing') return change !== missing
      return names === 'some' && random.next() < 0.5
    })
  }

  #open({ handle, path, creates, cuts }: Extract<TraceEvent, { kind: 'open' }>): void {
    const place = this.#relative(path)
    let node = this.#find(place)
    if (node === null && creates) {
      node = new DiskFile()
      node.isMapped = MAPPED.test(place)
      this.#name(place, node)
    }
    if (node === null) throw new Error(`${path} was opened and is not there`)
    if (node instanceof DiskFile && cuts) node.truncate(0)
    this.#handles.set(handle, node)
  }

  #sync(handle: number, failed: boolean): void {
    const node = this.#handles.get(handle)
    if (node instanceof DiskFile) {
      if (failed) node.failSync()
      else node.sync()
      return
    }
    if (failed) return
    for (const change of this.#changes) {
      if (change.namings.some(({ directory }) => directory === node)) change.isDurable = true
    }
    this.#forgetDurable()
  }

  #rename(from: string, to: string): void {
    const node = this.#at(from)
    // Two names of one file stay as they are.
    if (this.#find(this.#relative(to)) === node) return
    this.#change([this.#naming(this.#relative(from), null), this.#naming(this.#relative(to), node)])
  }

  #name(place: string, node: Node): void {
    this.#change([this.#naming(place, node)])
  }

  #naming(place: string, node: Node | null): Naming {
    const slash = place.lastIndexOf('/')
    const directory = this.#find(slash < 0 ? '' : place.slice(0, slash))
    if (!(directory instanceof Directory)) throw new Error(`${place} is in no directory`)
    return { directory, name: place.slice(slash + 1), node }
  }

  #change(namings: readonly Naming[]): void {
    for (const { directory, name, node } of namings) {
      if (node === null) directory.entries.delete(name)
      else directory.entries.set(name, node)
    }
    this.#changes.push({ namings, isDurable: false })
  }

  /** What lies before the first change that is not durable cannot be otherwise. */
  #forgetDurable(): void {
    const first = this.#changes.findIndex(({ isDurable }) => !isDurable)
    const durable = this.#changes.splice(0, first < 0 ? this.#changes.length : first)
    for (const { namings } of durable) for (const naming of namings) give(this.#disk, naming)
  }

  #file(handle: number): DiskFile {
    const node = this.#handles.get(handle)
    if (node instanceof DiskFile) return node
    throw new Error(`handle ${handle} is no file`)
  }

  #at(path: string): Node {
    const node = this.#find(this.#relative(path))
    if (node === null) throw new Error(`${path} is not there`)
    return node
  }

  #find(place: string): Node | null {
    let node: Node | undefined = this.#root
    for (const name of place === '' ? [] : place.split('/')) {
      node = node instanceof Directory ? node.entries.get(name) : undefined
      if (node === undefined) return null
    }
    return node
  }

  #relative(path: string): string {
    return relative(this.#path, path)
  }
}

function give(tree: Map<Directory, Map<string, Node>>, { directory, name, node }: Naming): void {
  let entries = tree.get(directory)
  if (entries === undefined) {
    entries = new Map()
    tree.set(directory, entries)
  }
  if (node === null) entries.delete(name)
  else entries.set(name, node)
}

/** Makes the files of an image below a directory, which is made too. */
export function materialise({ directories, files, links }: Image, path: string): void {
  mkdirSync(path)
  for (const directory of directories) mkdirSync(`${path}/${directory}`)
  for (const [file, bytes] of files) writeFileSync(`${path}/${file}`, bytes)
  for (const [from, to] of links) linkSync(`${path}/${from}`, `${path}/${to}`)
}

/** The files that are below a directory. */
export function imageOf(path: string): Image {
  const image = { directories: [] as string[], files: new Map<string, Buffer>(), links: [] as [string, string][] }
  const inodes = new Map<number, string>()
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const place = relative(path, file)
    if (entry.isDirectory()) {
      image.directories.push(place)
      continue
    }
    const { ino } = lstatSync(file)
    const before = inodes.get(ino)
    if (before === undefined) image.files.set(place, readFileSync(file))
    else image.links.push([before, place])
    inodes.set(ino, before ?? place)
  }
  image.directories.sort()
  return image
}
