import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { connect } from 'weave-client'
import { WebSocket } from 'ws'
import { root } from '../repository.mjs'
import type { Proof } from './kept-proofs.ts'
import { judge, type Sample } from './soak-judge.ts'

const everySeconds = 10
const visitEvery = 6

/**
 * One server that works for hours, with both agents, the proxy, a sentinel, a client that stays and clients that come and
 * go. Its memory, its open files and its processes are sampled every ten seconds; a slope means a leak.
 */
export async function soak(hours: number): Promise<{ readonly code: number; readonly result?: Proof }> {
  if (!(hours > 0)) {
    console.error('How long? For example: npm run proof:load -- --hours 8')
    return { code: 2 }
  }
  const built = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  const dir = mkdtempSync(join(tmpdir(), 'weave-soak-'))
  writeSoakHank(dir)
  const server = startServer(dir, hours)
  const samples: Sample[] = []
  const clients = soakClients(await server.url)
  try {
    const began = performance.now()
    for (let turn = 1; !server.isOver() && performance.now() - began < hours * 3_600_000; turn++) {
      await pause(everySeconds * 1_000)
      const sample = sampleOf(server.pid, Math.round((performance.now() - began) / 1_000))
      if (!sample) break
      samples.push(sample)
      if (turn % visitEvery === 0) await clients.visit()
      const { heard, completed } = clients.seen()
      console.log(
        `${sample.seconds} s: ${Math.round(sample.rss / 1024)} MB, ${sample.files} open files, ${sample.processes} processes, ${completed} codons, ${heard} events`,
      )
    }
  } finally {
    clients.close()
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const { heard, completed, visits, faults } = clients.seen()
  const { ok, words } = judge(samples)
  const seconds = samples.at(-1)?.seconds ?? 0
  // A server that ended by itself was not soaked.
  const isWhole = seconds >= hours * 3_600 - 2 * everySeconds
  if (!isWhole) faults.push(`the server ended after ${seconds} s`)
  console.log(['', `${completed} codons, ${visits} visits`, ...words, ...faults.slice(0, 20)].join('\n'))
  const counts = { codons: completed, 'events heard': heard, visits }
  return {
    code: ok && completed > 0 && faults.length === 0 ? 0 : 1,
    result: { holds: 'memory, open files', seconds, counts },
  }
}

/**
 * A hank that never ends by itself: a codon for each agent, a sentinel that is asked again and again, files that change and
 * are checkpointed; and the words of its rehearsal.
 */
function writeSoakHank(dir: string): void {
  mkdirSync(join(dir, 'home'))
  const narrator = {
    id: 'narrator',
    name: 'Narrator',
    model: 'haiku',
    trigger: { type: 'event', on: ['assistant.action', 'tool.result'] },
    execution: { strategy: 'count', threshold: 3 },
    systemPromptText: 'You tell what happens.',
    userPromptText: '<%= it.events.length %> events',
    // Nothing is hidden from clients, so that they can tell when something is missing.
    reportToWebsocket: { outputs: true, lifecycle: true, errors: true, triggers: true },
    conversational: { trimmingStrategy: { type: 'maxTurns', maxTurns: 10 } },
  }
  const codon = (id: string, model: string) => ({
    id,
    name: id,
    model,
    continuationMode: 'fresh',
    promptText: 'Count.',
    checkpointedFiles: ['*.txt'],
    sentinels: [{ sentinelConfig: 'narrator.json' }],
  })
  const clock = {
    type: 'loop',
    id: 'clock',
    name: 'Clock',
    terminateOn: { type: 'iterationLimit', limit: 100_000 },
    codons: [codon('tick', 'openai/gpt-5'), codon('tock', 'sonnet')],
  }
  const command = 'date > now.txt; tail -n 200 ticks.txt > last.txt; date >> last.txt; cp last.txt ticks.txt'
  const steps = [{ use: 'bash', input: { command } }, { say: 'counted' }]
  const files = {
    'narrator.json': narrator,
    'hank.json': { $schema: 'x', hank: [clock] },
    'rehearsal.json': { codons: { tick: steps, tock: steps }, sentinels: { narrator: ['So it goes.'] } },
  }
  for (const [name, value] of Object.entries(files)) writeFileSync(join(dir, name), JSON.stringify(value))
}

function startServer(dir: string, hours: number) {
  const weave = join(root, 'packages/cli/bin/weave.cjs')
  // Longer than the soak, whose end is what ends it.
  const seconds = String(Math.ceil(hours * 3_600) + 600)
  const child = spawn(process.execPath, [weave, 'rehearse', '--headless', '--proxy', '--max-time', seconds], {
    cwd: dir,
    env: { ...process.env, HOME: join(dir, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let isOver = false
  const ended = new Promise<void>(resolve => {
    child.once('close', () => {
      isOver = true
      resolve()
    })
  })
  const url = new Promise<string>((resolve, reject) => {
    const said: string[] = []
    createInterface({ input: child.stderr }).on('line', line => {
      const found = /^Clients +(ws:\S+)/.exec(line)
      if (found?.[1] !== undefined) resolve(found[1])
      if (said.length < 50) said.push(line)
    })
    void ended.then(() => reject(new Error(`The server ended before it listened.\n${said.join('\n')}`)))
  })
  return {
    pid: child.pid ?? 0,
    url,
    isOver: () => isOver,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A client that stays, and others that come, read the whole journal and go. None may miss or repeat an event. */
function soakClients(url: string) {
  let heard = 0
  let completed = 0
  let visits = 0
  const faults: string[] = []
  const resident = connect(url, { mode: 'readonly', since: 0, socket: WebSocket })
  resident.onAny(event => {
    if (event.seq === undefined) return
    if (event.seq !== heard + 1) faults.push(`event ${event.seq} came after ${heard}`)
    heard = event.seq
    if (event.type === 'codon.completed') completed++
  })
  return {
    /** One more comes and goes. */
    async visit() {
      visits++
      const visitor = connect(url, { mode: 'readonly', socket: WebSocket })
      const opened = await visitor.opened
      let read = 0
      if (!opened.ok) faults.push(`visit ${visits} was not let in`)
      else {
        for await (const batch of visitor.history({ timeoutMs: 60_000 })) {
          if (!batch.ok) faults.push(`visit ${visits} could not read on after ${read} events`)
          else read += batch.events.length
        }
        if (read < (visitor.totalEvents ?? 0))
          faults.push(`visit ${visits} read ${read} of ${visitor.totalEvents}`)
      }
      visitor.close()
    },
    seen: () => ({ heard, completed, visits, faults }),
    close: () => resident.close(),
  }
}

function sampleOf(pid: number, seconds: number): Sample | undefined {
  try {
    const [, rss = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    const files = readdirSync(`/proc/${pid}/fd`).length
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return { seconds, rss: Number(rss), files, processes: children.length }
  } catch {
    return undefined
  }
}
