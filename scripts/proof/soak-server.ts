import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { root } from '../repository.mjs'
import type { Sample } from './soak-judge.ts'

export interface SoakServer {
  readonly pid: number
  readonly url: Promise<string>
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

/** Begins the execution of a folder, or goes on with it. */
export function startSoakServer({ dir, seconds }: SoakPlace, weave?: string): SoakServer {
  const launcher = weave ?? join(root, 'packages/cli/bin/weave.cjs')
  // Longer than the soak, whose end is what ends it.
  const most = String(Math.ceil(seconds * 2) + 3_600)
  // A debugger that nobody asked for listens nowhere; SIGUSR1 asks.
  const words = ['--inspect-port=0', launcher, 'rehearse', '--headless', '--proxy', '-y', '--max-time', most]
  const child = spawn(process.execPath, words, {
    cwd: dir,
    env: { ...process.env, HOME: join(dir, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let isOver = false
  const said: string[] = []
  const ended = new Promise<void>(resolve => {
    child.once('close', () => {
      isOver = true
      resolve()
    })
  })
  const lines = createInterface({ input: child.stderr })
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      lines.on('line', text => {
        const found = pattern.exec(text)?.[1]
        if (found !== undefined) resolve(found)
      })
      void ended.then(() => reject(new Error(`The server ended.\n${said.join('\n')}`)))
    })
  lines.on('line', text => {
    said.push(text)
    if (said.length > 50) said.shift()
  })
  const debuggerUrl = line(/^Debugger listening on (ws:\S+)/)
  debuggerUrl.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    url: line(/^Clients +(ws:\S+)/),
    name: () => readdirSync(join(dir, 'home/.weave-executions')).at(-1) ?? '',
    isOver: () => isOver,
    async heap() {
      child.kill('SIGUSR1')
      return heapAfterCollection(await debuggerUrl)
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
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
