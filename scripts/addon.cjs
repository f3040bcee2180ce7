// Where the addon's binary may be, and the stamp that says which sources a binary was built from.
// CommonJS, because the installer, both build systems and src/native/load.ts (which cannot await) read it.
const { existsSync, readdirSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const root = join(__dirname, '..')

const list = (folder, ending) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`)

/** The files to compile. */
const sources = () => [...list('native/binding', '.cc'), ...list('native/core', '.cc')]

/** A hash of all that the binary is made of. */
function sourceStamp() {
  const { createHash } = require('node:crypto')
  const headers = [...list('native/binding', '.h'), ...list('native/core', '.h')]
  const hash = createHash('sha256')
  for (const file of [...sources(), ...headers, 'CMakeLists.txt', 'binding.gyp']) {
    const content = readFileSync(join(root, file))
    hash.update(`${file}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * The paths where a binary may be, relative to the root, best first; as the `bindings` package takes them.
 * MYKAFKA_ADDON names another one, for a debug or a sanitizer build.
 */
function candidates() {
  const prebuilds = ['prebuilds', `${process.platform}-${process.arch}`]
  const names = ['mykafka.node']
  if (process.platform === 'linux') {
    // The test by which prebuildify names what it builds.
    const libc = existsSync('/etc/alpine-release') ? ['musl', 'glibc'] : ['glibc', 'musl']
    names.unshift(...libc.map((name) => `mykafka.${name}.node`))
  }
  const built = ['Release', 'Debug'].map((kind) => ['build', kind, 'mykafka.node'])
  const asked = process.env.MYKAFKA_ADDON ? [process.env.MYKAFKA_ADDON.split('/')] : []
  return [...asked, ...built, ...names.map((name) => [...prebuilds, name])]
}

module.exports = { root, sources, sourceStamp, candidates }

if (require.main === module) {
  const answers = { stamp: sourceStamp, sources: () => sources().join('\n') }
  console.log(answers[process.argv[2]]())
}
