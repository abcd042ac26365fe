import { exitCodes } from './exit.ts'
import { tolerateClosedPipes } from './terminal.ts'
import { weave } from './weave.ts'

tolerateClosedPipes()

/** The start of the program. The exit code is set, not forced, so that what was printed arrives whole. */
weave(process.argv.slice(2)).then(
  code => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(
      `weave: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
    process.exitCode = exitCodes.failed
  },
)
