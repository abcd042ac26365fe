import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { launcher } from './weave-command.ts'

export interface NetworkRun {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
}

/** What the built command did, and every way in which one of its processes spoke to anyone. */
export interface NetworkTrace {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
  /** Connections to ports on which the command itself listens, on this machine. */
  readonly own: number
  /** Calls that lead anywhere else, as strace prints them: other addresses, other ports of this machine, name servers. */
  readonly foreign: readonly string[]
  /** Programs that it has started. */
  readonly started: number
  /** The beginnings of all HTTP requests that were sent, with their headers. */
  readonly requests: readonly string[]
}

/** Runs the built command under strace. Does not block: servers of the test answer meanwhile. */
export async function traceNetwork({ cwd, env, words }: NetworkRun): Promise<NetworkTrace> {
  const trace = join(cwd, 'network.trace')
  const [program, ...options] = tracer(trace)
  const child = spawn(program, [...options, process.execPath, launcher, ...words], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: join(cwd, 'home'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      said[stream] += chunk.toString('utf8')
    })
  const { pid } = child
  let isOver = false
  // strace alone would leave behind what it traces.
  onTestFinished(() => void (!isOver && pid !== undefined && process.kill(-pid, 'SIGKILL')))
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  isOver = true
  return { status, ...said, ...readNetworkTrace(trace) }
}

const calls = 'connect,sendto,sendmsg,sendmmsg,bind,listen,getsockname,write,writev,execve'

/** What to put in front of a command, so that a file tells whom its processes speak to. */
export function tracer(trace: string): readonly [string, ...string[]] {
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-s', '4000', '-e', `trace=${calls}`, '-o', trace]
}

/** What is in such a file once the command has ended. */
export function readNetworkTrace(
  trace: string,
): Pick<NetworkTrace, 'own' | 'foreign' | 'requests' | 'started'> {
  const lines = readFileSync(trace, 'utf8').split('\n')
  const ports = listeningPorts(lines)
  const leading = lines.filter(line => /^\d+ +(?:connect|sendto|sendmsg|sendmmsg)\(.*sin6?_port=/.test(line))
  const isOwn = (line: string) => loopback.test(line) && ports.has(portIn(line) ?? '')
  return {
    own: leading.filter(isOwn).length,
    foreign: leading.filter(line => !isOwn(line)),
    started: lines.filter(line => /^\d+ +execve\(.*= 0$/.test(line)).length - 1,
    requests: lines.filter(line => /"(?:GET|HEAD|POST|PUT|CONNECT) \S+ HTTP\/1\.1\\r\\n/.test(line)),
  }
}

const loopback = /inet_addr\("127\.|inet_pton\(AF_INET6, "(?:::1"|::ffff:127\.)/
const portIn = (line: string) => /sin6?_port=htons\((\d+)\)/.exec(line)?.[1]

/** By what a process asks about a socket after it has begun to listen: most take any free port. */
function listeningPorts(lines: readonly string[]): ReadonlySet<string> {
  const ports = new Set<string>()
  const listening = new Set<string>()
  const asking = new Map<string, string>()
  for (const line of lines) {
    const [, thread = '', call = '', socket = ''] = /^(\d+) +(listen|getsockname)\((\d+)/.exec(line) ?? []
    if (call === 'listen') listening.add(`${thread} ${socket}`)
    if (call === 'getsockname') asking.set(thread, socket)
    const answers = /^(\d+) +(?:getsockname\(|<\.\.\. getsockname resumed>)/.exec(line)?.[1]
    const port = answers === undefined ? undefined : portIn(line)
    if (answers === undefined || port === undefined) continue
    // Its number may belong to another socket later, so it counts once.
    if (listening.delete(`${answers} ${asking.get(answers) ?? ''}`)) ports.add(port)
  }
  return ports
}
