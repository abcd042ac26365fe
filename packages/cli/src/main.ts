import { exitCodes, hideToken } from './program.ts'
import { hideSmallMalloc } from './small-malloc.ts'
import { processTerminal, tolerateClosedPipes } from './terminal.ts'
import { weave } from './weave.ts'

hideSmallMalloc(process.env)
hideToken()
tolerateClosedPipes()

/** The start of the program. The exit code is set, not forced, so that what was printed arrives whole. */
weave(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  (error: unknown) => {
    processTerminal.error(`weave: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    process.exitCode = exitCodes.failed
  },
)
