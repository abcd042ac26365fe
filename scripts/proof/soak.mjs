import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from '../repository.mjs'

/**
 * One server that works for hours: a rehearsal whose loop never ends by itself, with a client that comes and goes. Its
 * memory and its open files are looked at every ten seconds; a slope means a leak.
 *
 * @param {number} hours
 * @returns {Promise<number>} the exit code
 */
export async function soak(hours) {
  const dir = mkdtempSync(join(tmpdir(), 'weave-soak-'))
  const weave = join(root, 'packages/cli/bin/weave.cjs')
  writeHank(dir)
  const env = { ...process.env, HOME: join(dir, 'home') }
  const child = spawn(
    process.execPath,
    [weave, 'rehearse', '--headless', '--max-time', String(hours * 3600)],
    {
      cwd: dir,
      env,
      stdio: 'ignore',
    },
  )
  const ended = new Promise(resolve => child.once('close', resolve))
  let over = false
  void ended.then(() => {
    over = true
  })
  const until = performance.now() + hours * 3_600_000
  /** @type {Look[]} */
  const looks = []
  try {
    while (!over && performance.now() < until) {
      await pause(10_000)
      if (over) break
      const look = lookAt(child.pid ?? 0)
      if (look) looks.push(look)
      if (looks.length % 6 === 0)
        spawnSync(process.execPath, [weave, 'journal', '--type', 'codon.completed'], { cwd: dir, env })
      console.log(
        `${looks.length * 10} s: ${look ? `${Math.round(look.rss / 1024)} MB, ${look.files} open files` : 'gone'}`,
      )
    }
  } finally {
    child.kill('SIGTERM')
    await ended
    rmSync(dir, { recursive: true, force: true })
  }
  return judge(looks)
}

/**
 * @typedef {object} Look
 * @property {number} rss in KiB
 * @property {number} files
 */

/** @param {number} pid @returns {Look | undefined} */
function lookAt(pid) {
  try {
    const [, rss = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return { rss: Number(rss), files: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return undefined
  }
}

/** The first fifth is warming up. After it memory may grow by a tenth and files by a few. */
function judge(/** @type {Look[]} */ looks) {
  const settled = looks.slice(Math.floor(looks.length / 5))
  const half = Math.floor(settled.length / 2)
  const mean = (/** @type {Look[]} */ some, /** @type {'rss' | 'files'} */ key) =>
    some.reduce((sum, look) => sum + look[key], 0) / Math.max(1, some.length)
  const [early, late] = [settled.slice(0, half), settled.slice(half)]
  const memory = mean(late, 'rss') / mean(early, 'rss')
  const files = mean(late, 'files') - mean(early, 'files')
  console.log(
    `memory, second half against first: ${memory.toFixed(3)} (at most 1.1); open files: ${files.toFixed(1)} more (at most 5)`,
  )
  return half > 0 && memory <= 1.1 && files <= 5 ? 0 : 1
}

/** @param {string} dir */
function writeHank(dir) {
  mkdirSync(join(dir, 'home'))
  const codon = {
    id: 'tick',
    name: 'Tick',
    model: 'openai/gpt-5',
    continuationMode: 'fresh',
    promptText: 'Count.',
    checkpointedFiles: ['*.txt'],
  }
  const loop = {
    type: 'loop',
    id: 'clock',
    name: 'Clock',
    terminateOn: { type: 'iterationLimit', limit: 100_000 },
    codons: [codon],
  }
  writeFileSync(join(dir, 'hank.json'), JSON.stringify({ $schema: 'x', hank: [loop] }))
  const steps = [{ use: 'bash', input: { command: 'date >> ticks.txt' } }, { say: 'tick' }]
  writeFileSync(join(dir, 'rehearsal.json'), JSON.stringify({ codons: { tick: steps } }))
}
