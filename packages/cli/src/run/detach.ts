import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type ExecutionLayout, ensureDir } from '@weave/runtime'
import { shellWord } from '../go-on.ts'
import type { Arguments } from '../parse-arguments.ts'
import { type ExitCode, exitCodes } from '../program.ts'
import { withSmallMalloc } from '../small-malloc.ts'
import type { Terminal } from '../terminal.ts'
import type { DetachedMessage } from './detached-message.ts'

export interface Detaching {
  readonly layout: ExecutionLayout
  readonly executionBaseDir: string
  readonly args: Arguments
  readonly terminal: Terminal
}

type ReadyMessage = Extract<DetachedMessage, { kind: 'ready' }>

/**
 * Starts this program with these words in a session of its own, and comes back when clients may come. One that ends before
 * that has its words said and its code returned here.
 */
export async function runDetached(detaching: Detaching, words: readonly string[]): Promise<ExitCode> {
  const { layout, terminal, args } = detaching
  await ensureDir(layout.logs)
  const fd = openSync(layout.runLog, logFlags, 0o600)
  const before = fstatSync(fd).size
  const [, script = ''] = process.argv
  const child = spawn(process.execPath, [...process.execArgv, script, ...words], {
    detached: true,
    env: withSmallMalloc(process.env),
    stdio: ['ignore', fd, fd, 'ipc'],
  })
  closeSync(fd)
  const end = await readyOrEnd(child)
  if (!('ready' in end)) {
    const said = readFileSync(layout.runLog)
      .subarray(end.logBytes ?? before)
      .toString('utf8')
      .trimEnd()
    if (said !== '') terminal.error(said)
    return end.code
  }
  if (child.connected) child.disconnect()
  child.unref()
  if (args.switches.has('json')) {
    const { execution, url, pid } = end.ready
    terminal.json(JSON.stringify({ execution, url, pid, log: layout.runLog }))
  } else for (const line of readyLines(detaching, end.ready)) terminal.out(line)
  return exitCodes.done
}

const logFlags =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

function readyLines({ layout, executionBaseDir }: Detaching, { url }: ReadyMessage): readonly string[] {
  const { dir } = layout
  const name = shellWord(dirname(dir) === executionBaseDir ? basename(dir) : dir)
  return [
    `Execution  ${dir}`,
    `Clients    ${url}`,
    `Log        ${layout.runLog}`,
    `It goes on without this terminal.  weave attach ${name} · weave stop ${name}`,
  ]
}

type DetachEnd =
  | { readonly ready: ReadyMessage }
  /** `logBytes`: what it said before that, we have said ourselves. */
  | { readonly code: ExitCode; readonly logBytes: number | undefined }

/** Whoever interrupts us now means the run, which has not begun. */
function readyOrEnd(child: ChildProcess): Promise<DetachEnd> {
  const stop = (): void => void child.kill('SIGTERM')
  for (const signal of interruptions) process.on(signal, stop)
  return new Promise<DetachEnd>(resolve => {
    let logBytes: number | undefined
    child.on('message', given => {
      const message = given as DetachedMessage
      if (message.kind === 'ready') resolve({ ready: message })
      else logBytes = message.logBytes
    })
    child.on('error', () => resolve({ code: exitCodes.failed, logBytes }))
    child.on('exit', code => resolve({ code: codeOf(code), logBytes }))
  }).finally(() => {
    for (const signal of interruptions) process.off(signal, stop)
  })
}

const interruptions = ['SIGINT', 'SIGTERM'] as const

function codeOf(code: number | null): ExitCode {
  return Object.values(exitCodes).find(each => each === code) ?? exitCodes.failed
}
