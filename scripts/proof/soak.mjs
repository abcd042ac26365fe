import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../repository.mjs'
import { writeSoakHank } from './soak-hank.mjs'
import { judge } from './soak-judge.mjs'

const every = 10
const visitEvery = 6

/**
 * One server that works for hours, with both agents, the proxy, a sentinel, a client that stays and clients that come and
 * go. Its memory, its open files and its processes are looked at every ten seconds; a slope means a leak.
 *
 * @param {number} hours
 * @returns {Promise<{ code: number, result?: { holds: string, seconds: number, counts: Record<string, number> } }>}
 */
export async function soak(hours) {
  if (!(hours > 0)) {
    console.error('How long? For example: npm run proof:load -- --hours 8')
    return { code: 2 }
  }
  const built = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  const { soakClients } = await import('./soak-clients.mjs')
  const dir = mkdtempSync(join(tmpdir(), 'weave-soak-'))
  writeSoakHank(dir)
  const server = startServer(dir, hours)
  /** @type {import('./soak-judge.mjs').Look[]} */
  const looks = []
  const clients = soakClients(await server.url)
  try {
    const began = performance.now()
    for (let turn = 1; !server.isOver() && performance.now() - began < hours * 3_600_000; turn++) {
      await pause(every * 1_000)
      const look = lookAt(server.pid, Math.round((performance.now() - began) / 1_000))
      if (!look) break
      looks.push(look)
      if (turn % visitEvery === 0) await clients.visit()
      const { heard, completed } = clients.seen()
      console.log(
        `${look.seconds} s: ${Math.round(look.rss / 1024)} MB, ${look.files} open files, ${look.processes} processes, ${completed} codons, ${heard} events`,
      )
    }
  } finally {
    clients.close()
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const { heard, completed, visits, faults } = clients.seen()
  const { ok, words } = judge(looks)
  const seconds = looks.at(-1)?.seconds ?? 0
  // A server that ended by itself was not soaked.
  const isWhole = seconds >= hours * 3_600 - 2 * every
  if (!isWhole) faults.push(`the server ended after ${seconds} s`)
  console.log(['', `${completed} codons, ${visits} visits`, ...words, ...faults.slice(0, 20)].join('\n'))
  const counts = { codons: completed, 'events heard': heard, visits }
  return {
    code: ok && completed > 0 && faults.length === 0 ? 0 : 1,
    result: { holds: 'memory, open files', seconds, counts },
  }
}

/** @param {string} dir @param {number} hours */
function startServer(dir, hours) {
  const weave = join(root, 'packages/cli/bin/weave.cjs')
  // Longer than is looked at: what ends it is the end of the soak.
  const seconds = String(Math.ceil(hours * 3_600) + 600)
  const child = spawn(process.execPath, [weave, 'rehearse', '--headless', '--proxy', '--max-time', seconds], {
    cwd: dir,
    env: { ...process.env, HOME: join(dir, 'home') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let isOver = false
  /** @type {Promise<void>} */
  const ended = new Promise(resolve => {
    child.once('close', () => {
      isOver = true
      resolve()
    })
  })
  /** @type {Promise<string>} */
  const url = new Promise((resolve, reject) => {
    /** @type {string[]} */
    const said = []
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

/** @param {number} pid @param {number} seconds @returns {import('./soak-judge.mjs').Look | undefined} */
function lookAt(pid, seconds) {
  try {
    const [, rss = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    const files = readdirSync(`/proc/${pid}/fd`).length
    return { seconds, rss: Number(rss), files, processes: childrenOf(pid) }
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length
}
