import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../repository.mjs'
import { tool } from '../tool.mjs'
import { keepProofs, type Proof } from './kept-proofs.ts'
import { soak } from './soak.ts'
import { type Suite, suites } from './suites.ts'

/**
 * `npm run proof:faults`, `proof:load`, `proof:agents` and `proof:fleet`: the whole of every proof, one suite after the other,
 * with what each has tried. `--only <name>` runs one, `--seed <n>` repeats a failure; `--keep` puts what held into the committed file.
 * `npm run proof:load -- --hours 8` soaks instead; with `--from <weave.cjs>` the first half is of an older build.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    seed: { type: 'string' },
    hours: { type: 'string' },
    from: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const [wish = ''] = positionals
const kind = wish === 'load' || wish === 'agents' || wish === 'fleet' ? wish : 'faults'
process.exitCode = values.hours === undefined ? await prove() : await soaked(Number(values.hours))

async function soaked(hours: number): Promise<number> {
  const { code, result } = await soak({ hours, from: values.from, isKept: values.keep })
  if (values.keep && code === 0 && result) keepProofs({ soak: result })
  return code
}

async function prove(): Promise<number> {
  const wanted = suites[kind].filter(({ name }) => values.only === undefined || name === values.only)
  if (wanted.length === 0) {
    const names = suites[kind].map(({ name }) => name)
    console.error(`There is no suite "${values.only}". There are: ${names.join(', ')}.`)
    return 2
  }
  const held: Record<string, Proof> = {}
  const summary: string[] = []
  for (const suite of wanted) {
    console.log(`\n— ${suite.name} (${suite.holds}) —`)
    const { ok, missing, ...proof } = await run(suite)
    if (ok) {
      held[suite.name] = proof
      // At once: all of them take hours, and what held before something ended them has held.
      if (values.keep) keepProofs({ [suite.name]: proof })
    }
    const words = `${suite.holds.padEnd(14)} ${suite.name}: ${ok ? 'held' : 'FAILED'} in ${proof.seconds} s`
    const counts = Object.entries(proof.counts).map(([what, count]) => `${count} ${what}`)
    summary.push([words, ...counts, ...missing].join('\n               '))
  }
  console.log(`\n${summary.join('\n')}`)
  return wanted.every(({ name }) => held[name]) ? 0 : 1
}

async function run({ name, holds, files, env, atLeast = {} }: Suite) {
  const folder = mkdtempSync(join(tmpdir(), 'weave-proof-'))
  const tallies = join(folder, 'tally.jsonl')
  writeFileSync(tallies, '')
  const seed = values.seed ?? String(Math.floor(Math.random() * 2 ** 31))
  const begun = performance.now()
  try {
    const proof = { WEAVE_PROOF: '1', WEAVE_PROOF_SEED: seed, WEAVE_PROOF_TALLY: tallies }
    const code = await vitest(files, { ...env, ...proof })
    const counts = countsIn(tallies)
    const missing = Object.entries(atLeast)
      .filter(([what, least]) => (counts[what] ?? 0) < least)
      .map(([what, least]) => `${what}: ${counts[what] ?? 0} of ${least}`)
    const ok = code === 0 && missing.length === 0
    if (!ok) console.log(`\nTo repeat it: npm run proof:${kind} -- --only "${name}" --seed ${seed}`)
    return { ok, missing, holds, seconds: Math.round((performance.now() - begun) / 1000), counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function vitest(files: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, tool('vitest', 'run', '--testTimeout', '1800000', ...files), {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    child.once('error', reject).once('close', code => resolve(code ?? 1))
  })
}

function countsIn(file: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { what, count } = JSON.parse(line) as { readonly what: string; readonly count: number }
    counts[what] = (counts[what] ?? 0) + count
  }
  return counts
}
