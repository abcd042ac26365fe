import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { root } from '../repository.mjs'

/**
 * Runs the commands of all parts, `limit` at a time, and prints one line for each part as it ends; then what the
 * failed ones had to say.
 *
 * @param {[name: string, commands: string[][]][]} parts
 * @param {number} limit
 * @returns {Promise<boolean>} whether all passed
 */
export async function runParts(parts, limit) {
  const takeTurn = createTurns(limit)
  const width = Math.max(...parts.map(([name]) => name.length))
  const results = await Promise.all(
    parts.map(async ([name, commands]) => {
      const runs = await Promise.all(commands.map(command => takeTurn(() => run(command))))
      const failed = runs.filter(({ code }) => code !== 0)
      const seconds =
        (Math.max(...runs.map(({ ended }) => ended)) - Math.min(...runs.map(({ started }) => started))) / 1000
      console.log(
        `${failed.length === 0 ? '✓' : '✗'} ${name.padEnd(width)} ${seconds.toFixed(1).padStart(5)} s`,
      )
      return { name, failed }
    }),
  )
  const broken = results.filter(({ failed }) => failed.length > 0)
  for (const { name, failed } of broken) {
    console.log(`\n── ${name} ──\n${failed.map(({ output }) => output.trim()).join('\n')}`)
  }
  return broken.length === 0
}

/** @param {string[]} command */
async function run(command) {
  const started = performance.now()
  const child = spawn(process.execPath, command, { cwd: root })
  child.stdin.end()
  const closed = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [code, out, errors] = await Promise.all([closed, text(child.stdout), text(child.stderr)])
  return { code, output: out + errors, started, ended: performance.now() }
}

/**
 * Lets at most `limit` tasks run at once, in the order they came.
 *
 * @param {number} limit
 */
function createTurns(limit) {
  let free = limit
  /** @type {(() => void)[]} */
  const waiting = []

  /** @template T @param {() => Promise<T>} task @returns {Promise<T>} */
  return async task => {
    if (free > 0) free--
    else await new Promise(resolve => waiting.push(() => resolve(undefined)))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }
}
