/**
 * The command `mykafka`. Only the command that is asked for is loaded: start-up time counts.
 *
 * @module
 */

import { runProgram } from './program.js'

process.exitCode = await runProgram(process.argv.slice(2))
