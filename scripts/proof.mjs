import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { keepProofs, readJson } from './proof/kept-proofs.mjs'
import { soak } from './proof/soak.mjs'
import { suites } from './proof/suites.mjs'
import { root } from './repository.mjs'
import { tool } from './tool.mjs'

/**
 * `npm run proof:faults` and `npm run proof:load`: the whole of every proof, one suite after the other, with what each has
 * tried. What has passed is not run again until the source changes; `--again` runs all, `--only <name>` one, `--seed <n>`
 * repeats a failure; `--keep` puts what held into the committed file. `npm run proof:load -- --hours 8` soaks instead.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    again: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string' },
    hours: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const kind = positionals[0] === 'load' ? 'load' : 'faults'
if (values.hours === undefined) process.exitCode = await prove()
else {
  const { code, result } = await soak(Number(values.hours))
  process.exitCode = code
  if (values.keep && code === 0 && result) keepProofs({ soak: result })
}

async function prove() {
  const names = suites[kind].map(({ name }) => name)
  if (values.only !== undefined && !names.includes(values.only)) {
    console.error(`There is no suite "${values.only}". There are: ${names.join(', ')}.`)
    return 2
  }
  const file = join(root, `bench/results/local-proof-${kind}.json`)
  const source = sourceState()
  const known = values.again ? {} : resultsIn(file, source)
  /** @type {Record<string, Result>} */
  const results = { ...known }
  for (const suite of suites[kind]) {
    if (values.only !== undefined && suite.name !== values.only) continue
    if (known[suite.name]?.ok && values.only === undefined) continue
    console.log(`\n— ${suite.name} (${suite.holds}) —`)
    results[suite.name] = await run(suite)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ source, machine: machine(), results }, null, 2)}\n`)
  }
  report(results)
  if (values.keep) keepProofs(held(results))
  const wanted = suites[kind].filter(({ name }) => values.only === undefined || name === values.only)
  return wanted.every(({ name }) => results[name]?.ok) ? 0 : 1
}

/**
 * @typedef {object} Result
 * @property {boolean} ok
 * @property {number} seconds
 * @property {string} seed
 * @property {Record<string, number>} counts
 * @property {string[]} missing
 */

/** @param {import('./proof/suites.mjs').Suite} suite @returns {Promise<Result>} */
async function run({ name, files, env, atLeast = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'weave-proof-'))
  const tallies = join(folder, 'tally.jsonl')
  writeFileSync(tallies, '')
  const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31))
  const begun = performance.now()
  try {
    const code = await vitest(files, {
      ...env,
      WEAVE_PROOF: '1',
      WEAVE_PROOF_SEED: seed,
      WEAVE_PROOF_TALLY: tallies,
    })
    const counts = countsIn(tallies)
    const missing = Object.entries(atLeast)
      .filter(([what, least]) => (counts[what] ?? 0) < least)
      .map(([what, least]) => `${what}: ${counts[what] ?? 0} of ${least}`)
    const ok = code === 0 && missing.length === 0
    if (!ok) console.log(`\nTo repeat it: npm run proof:${kind} -- --only "${name}" --seed ${seed}`)
    return { ok, seconds: Math.round((performance.now() - begun) / 1000), seed, counts, missing }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {Record<string, Result>} results @returns {Record<string, import('./proof/kept-proofs.mjs').Proof>} */
function held(results) {
  const kept = suites[kind].flatMap(({ name, holds }) => {
    const result = results[name]
    return result?.ok ? [[name, { holds, seconds: result.seconds, counts: result.counts }]] : []
  })
  return Object.fromEntries(kept)
}

/** @param {string[]} files @param {Record<string, string>} env @returns {Promise<number>} */
function vitest(files, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, tool('vitest', 'run', '--testTimeout', '1800000', ...files), {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    child.once('error', reject).once('close', code => resolve(code ?? 1))
  })
}

/** @param {string} file @returns {Record<string, number>} */
function countsIn(file) {
  /** @type {Record<string, number>} */
  const counts = {}
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { what, count } = JSON.parse(line)
    counts[what] = (counts[what] ?? 0) + count
  }
  return counts
}

/** What the results belong to: the code and its tests as they are now. Words about them change nothing. */
function sourceState() {
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout
  const places = ['packages', 'test', 'package-lock.json']
  const parts = [
    git('rev-parse', ...places.map(place => `HEAD:${place}`)),
    git('diff', 'HEAD', '--', ...places),
    git('ls-files', '--others', '--exclude-standard', '--', ...places),
  ]
  return createHash('sha256').update(parts.join('\0')).digest('hex')
}

/** @param {string} file @param {string} source @returns {Record<string, Result>} */
function resultsIn(file, source) {
  const stored = readJson(file)
  return stored?.source === source ? stored.results : {}
}

function machine() {
  return {
    cores: availableParallelism(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  }
}

/** @param {Record<string, Result>} results */
function report(results) {
  console.log('')
  for (const { name, holds } of suites[kind]) {
    const result = results[name]
    const words = result ? `${result.ok ? 'held' : 'FAILED'} in ${result.seconds} s` : 'not run'
    const counts = Object.entries(result?.counts ?? {}).map(([what, count]) => `${count} ${what}`)
    console.log(
      [`${holds.padEnd(14)} ${name}: ${words}`, ...counts, ...(result?.missing ?? [])].join(
        '\n               ',
      ),
    )
  }
}
