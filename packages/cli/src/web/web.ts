import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { createReaders, secret, settled, silentLog, systemClock } from '@weave/runtime'
import { fleetWishes } from '../fleet/settings.ts'
import { type Arguments, settingValues } from '../parse-arguments.ts'
import { asThread, type ExitCode, exitCodes, signalCodes } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { hasBrowser, isOverSsh, openBrowser, sshLine, thisSeat } from './browser.ts'
import { startHub } from './hub.ts'
import { askForLink } from './links.ts'
import { claimRecord, type HubRecord, runningHub } from './record.ts'

/** Without a request for so long, a hub ends. */
const longestIdleMs = 8 * 3_600_000
const lookEveryMs = 60_000

/** `weave web`: a page over all executions. */
export async function webCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  if (args.positionals.length > 0) {
    terminal.error('weave web takes no words. The page of one execution: weave open <execution>')
    return exitCodes.usage
  }
  const other = runningHub()
  // A thread takes as long to begin as settings take to be read.
  const readers = createReaders(asThread('dashboard-reader'))
  if (!other) readers.wake()
  const { settings, paths } = await settled({
    flags: settingValues(args),
    runtimeConfig: args.texts['runtime-config'],
    environment: process.env,
    workingDirectory: process.cwd(),
    home: homedir(),
  })
  const base = args.texts.base === undefined ? paths.executionBaseDir : resolve(args.texts.base)
  if (other) return useOther(other, base, { args, terminal })
  const ownerKey = secret()
  const { port, readonly } = settings.web
  const allowed = args.texts['allow-host']
  const hub = await startHub({
    base,
    port,
    host: args.texts['web-host'],
    readonly,
    allowHosts: allowed === undefined ? [] : [allowed],
    ownerKey,
    fleet: { wishes: await fleetWishes(args, terminal), isInsecure: args.switches.has('insecure-engine') },
    // Nothing is logged: what is refused here is nobody's business, and keys pass through.
    log: silentLog,
    readers,
  })
  if (!hub.ok) {
    terminal.error(`${hub.message}\n${hub.cure}`)
    return exitCodes.failed
  }
  const claimed = claimRecord({ port: hub.port, ownerKey, base, readonly })
  if (!claimed.ok) {
    await hub.close()
    return useOther(claimed.other, base, { args, terminal })
  }
  // Heard from here on, before it is said: whoever ends it sooner would leave the record behind.
  const ending = untilEnd(hub)
  if (hub.isElsewhere) terminal.error(`Port ${port} is taken by another program; this is ${hub.port}.`)
  if (args.texts['web-host'] !== undefined) terminal.error(hostWarning)
  terminal.error(`Hub         http://127.0.0.1:${hub.port}`)
  terminal.error(`Executions  ${base}`)
  await show(hub.port, printed => hub.link(undefined, printed).url, { args, terminal })
  terminal.error('It ends with Ctrl+C, or after 8 hours without a request.')
  const code = await ending
  claimed.release()
  await hub.close()
  return code
}

const hostWarning =
  'Others than this machine can reach this, and nothing on the way is encrypted. Better: ssh -L, without --host.'

interface Place {
  readonly args: Arguments
  readonly terminal: Terminal
}

async function useOther(other: HubRecord, base: string, { args, terminal }: Place): Promise<ExitCode> {
  terminal.error(`A hub runs already: http://127.0.0.1:${other.port} (process ${other.pid})`)
  if (other.base !== base) {
    terminal.error(`It shows ${other.base}. To see ${base} end it first: kill ${other.pid}`)
    return exitCodes.failed
  }
  if (args.switches.has('no-open')) return exitCodes.done
  const link = async (printed: boolean): Promise<string> => (await askForLink(other, { printed })).url
  try {
    await show(other.port, link, { args, terminal })
    return exitCodes.done
  } catch (error) {
    terminal.error(error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}

/** Opens the browser; where there is none, says how to get in. */
export async function show(
  port: number,
  link: (printed: boolean) => string | Promise<string>,
  { args, terminal }: Place,
): Promise<void> {
  if (args.switches.has('no-open')) return
  const isPrinted = args.switches.has('print') || !hasBrowser(thisSeat)
  if (!isPrinted && (await openBrowser(await link(false)))) return
  terminal.out(await link(true))
  terminal.error('The link is good once, for 10 minutes.')
  if (isOverSsh(thisSeat)) terminal.error(`From your own machine first: ${sshLine(port)}`)
}

/** What the process says when it was asked to end, or nobody asked for anything. */
function untilEnd({ idleMs }: { readonly idleMs: () => number }): Promise<ExitCode> {
  return new Promise(resolve => {
    const stopLooking = systemClock.every(lookEveryMs, () => {
      if (idleMs() >= longestIdleMs) end(exitCodes.done)
    })
    const heard = (signal: keyof typeof signalCodes) => () =>
      end(signal === 'SIGINT' ? exitCodes.done : signalCodes[signal])
    const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(
      signal => [signal, heard(signal)] as const,
    )
    for (const [signal, listener] of listeners) process.on(signal, listener)
    const end = (code: ExitCode): void => {
      stopLooking()
      for (const [signal, listener] of listeners) process.off(signal, listener)
      resolve(code)
    }
  })
}
