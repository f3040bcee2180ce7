/** Runs for each test file. */
import { afterEach } from 'vitest'
import { cleanUp } from './clean-up.js'

afterEach(cleanUp)
