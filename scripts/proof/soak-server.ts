import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { root } from '../repository.mjs'
import type { Sample } from './soak-judge.ts'

export interface SoakServer {
  readonly pid: number
  readonly url: string
  /** Of the execution. */
  name(): string
  isOver(): boolean
  /** What is in use after a collection, in KiB. */
  heap(): Promise<number>
  stop(): Promise<void>
}

interface SoakPlace {
  readonly dir: string
  readonly seconds: number
}

/** Begins the execution of a folder, or goes on with it; as people do whose run takes hours: without a terminal. */
export async function startSoakServer({ dir, seconds }: SoakPlace, weave?: string): Promise<SoakServer> {
  const launcher = weave ?? join(root, 'packages/cli/bin/weave.cjs')
  // Longer than the soak, whose end is what ends it.
  const most = String(Math.ceil(seconds * 2) + 3_600)
  // A debugger that nobody asked for listens nowhere; SIGUSR1 asks.
  const words = ['--inspect-port=0', launcher, 'rehearse', '--detach', '--proxy', '-y', '--max-time', most]
  const env = { ...process.env, HOME: join(dir, 'home') }
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: dir, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The server did not start.\n${stderr}`)
  const { pid, url, log } = toldIn(stdout)
  const logged = statSync(log).size
  return {
    pid,
    url,
    name: () => readdirSync(join(dir, 'home/.weave-executions')).at(-1) ?? '',
    isOver: () => !isRunning(pid),
    async heap() {
      process.kill(pid, 'SIGUSR1')
      return heapAfterCollection(await debuggerUrl(log, logged))
    },
    async stop() {
      process.kill(pid, 'SIGTERM')
      while (isRunning(pid)) await pause(100)
    },
  }
}

/** What a detached run says; who its process is, its lock tells. */
function toldIn(stdout: string) {
  const told = (name: string): string => new RegExp(`^${name} +(\\S+)$`, 'm').exec(stdout)?.[1] ?? ''
  const { pid } = JSON.parse(readFileSync(join(told('Execution'), '.weave/lock.json'), 'utf8')) as {
    pid: number
  }
  return { pid, url: told('Clients'), log: told('Log') }
}

/** One that has ended stays in the list of processes until somebody asks for its end; it is nobody's child. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** Node.js says it once, when it is first asked. */
async function debuggerUrl(log: string, from: number): Promise<string> {
  for (let times = 0; times < 100; times++) {
    const said = readFileSync(log).subarray(from).toString('utf8')
    const url = [...said.matchAll(/^Debugger listening on (ws:\S+)/gm)].at(-1)?.[1]
    if (url !== undefined) return url
    await pause(100)
  }
  throw new Error('The server was asked for its debugger, and said nothing.')
}

async function heapAfterCollection(url: string): Promise<number> {
  const socket = new WebSocket(url)
  const ask = (id: number, method: string): Promise<{ readonly usedSize?: number }> =>
    new Promise((resolve, reject) => {
      socket.on('error', reject).on('close', () => reject(new Error('the debugger went away')))
      socket.on('message', (data: Buffer) => {
        const answer = JSON.parse(data.toString()) as { readonly id?: number; readonly result?: object }
        if (answer.id === id) resolve(answer.result ?? {})
      })
      socket.send(JSON.stringify({ id, method }))
    })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  await ask(1, 'HeapProfiler.collectGarbage')
  const { usedSize = 0 } = await ask(2, 'Runtime.getHeapUsage')
  socket.terminate()
  return Math.round(usedSize / 1024)
}

export function sampleOf(pid: number, hubPid: number, seconds: number): Sample | undefined {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).length
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return { seconds, rss: residentOf(pid), hub: residentOf(hubPid), files, processes: children.length }
  } catch {
    return undefined
  }
}

function residentOf(pid: number): number {
  const [, rss = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(rss)
}
