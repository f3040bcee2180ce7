import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CONFIGURATION_DOC, renderConfigurationDoc } from '../../scripts/generate-configuration-doc.js'

it('docs/configuration.md says what the tables say', () => {
  expect(readFileSync(CONFIGURATION_DOC, 'utf8')).toBe(renderConfigurationDoc())
})
