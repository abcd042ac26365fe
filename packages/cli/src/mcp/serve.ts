import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { systemClock } from '@weave/runtime'
import { harmlessLine } from 'weave-client'
import { type ExitCode, exitCodes } from '../program.ts'
import { asksSinceHandshake, hearing } from './heard-transport.ts'
import { createServer } from './server.ts'
import { type Given, surroundingsOf } from './surroundings.ts'

/** A client that has gone waits for nothing. What was begun and should not be cut off has this long. */
const longestFarewellMs = 700

/** Speaks with a client until it leaves. Nothing but messages goes to standard output; runs that it started go on. */
export async function serve(given: Given): Promise<ExitCode> {
  let canAsk = false
  const { at, subscriptions, rest } = surroundingsOf(given, () => canAsk)
  const transport = hearing(new StdioServerTransport(), message => {
    canAsk ||= asksSinceHandshake(message)
    subscriptions.hear(message)
  })
  const left = new Promise<void>(resolve => {
    process.stdin.once('end', resolve)
    process.stdin.once('close', resolve)
    process.stdout.once('error', () => resolve())
  })
  serveStdio(
    () => {
      const server = createServer(at, subscriptions)
      subscriptions.tell(uri => server.server.sendResourceUpdated({ uri }))
      return server
    },
    { transport, onerror: error => process.stderr.write(`weave mcp: ${harmlessLine(error.message)}\n`) },
  )
  await left
  subscriptions.close()
  await Promise.race([rest(), systemClock.sleep(longestFarewellMs)])
  // Calls that still wait for something must not keep the process.
  process.exit(exitCodes.done)
}
