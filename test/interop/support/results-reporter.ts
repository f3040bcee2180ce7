/** Writes down what passed, for docs/support.md. */
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { isApacheKafka } from './broker-choice.js'
import { type InteropResults, LAST_RESULTS, RESULTS, type ServedApi } from './results.js'

export default class ResultsReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests: Record<string, Record<string, Record<string, 'passed' | 'failed'>>> = {}
    let apis: readonly ServedApi[] = []
    for (const module of modules) {
      const file = basename(module.moduleId, '.test.ts')
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'passed' && state !== 'failed') continue
        tests[file] ??= {}
        const groups = tests[file]
        const group = groupOf(test)
        groups[group] ??= {}
        groups[group][test.name] = state
        apis = test.meta().apis ?? apis
      }
    }
    const clients = this.#vitest?.getRootProject().getProvidedContext().clients ?? []
    const results: InteropResults = { date: new Date().toISOString().slice(0, 10), clients, apis, tests }
    const text = `${JSON.stringify(results, null, 2)}\n`
    writeFileSync(LAST_RESULTS, text)
    if (process.env.MYKAFKA_INTEROP_RECORD !== undefined && !isApacheKafka) writeFileSync(RESULTS, text)
  }
}

function groupOf(test: TestCase): string {
  return test.parent.type === 'suite' ? test.parent.name : ''
}
