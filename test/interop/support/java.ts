/** Apache Kafka's jars, by Maven. */
import { join } from 'node:path'
import { CACHE, INTEROP } from './folders.js'
import { installOnce } from './install-once.js'
import { runCommand } from './run-command.js'

const LIBRARIES = join(CACHE, 'java', 'lib')
const CLASSES = join(CACHE, 'java', 'classes')

/** The class path of the client, the tools and the broker. */
export const CLASS_PATH = `${CLASSES}:${LIBRARIES}/*`

/** For programs that live for seconds: no compiler threads and no heap that they do not need. */
export const SHORT_LIVED = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx256m']

/** Brings the jars. */
export async function installKafkaJars(): Promise<void> {
  await installOnce('java-jars', ['java/pom.xml'], async () => {
    const pom = join(INTEROP, 'java', 'pom.xml')
    const goal = 'dependency:copy-dependencies'
    await runCommand('mvn', ['--batch-mode', '-q', '-f', pom, goal, `-DoutputDirectory=${LIBRARIES}`])
  })
}

/** Brings the jars and compiles the client program. */
export async function installJavaClient(): Promise<void> {
  await installKafkaJars()
  const sources = ['Client', 'Protocol', 'Member', 'Topics'].map((name) => `java/${name}.java`)
  await installOnce('java-client', ['java/pom.xml', ...sources], async () => {
    const files = sources.map((source) => join(INTEROP, source))
    await runCommand('javac', ['-nowarn', '-cp', CLASS_PATH, '-d', CLASSES, ...files])
  })
}
