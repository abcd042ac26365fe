import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.mjs'
import { suites } from './suites.ts'

export interface Proof {
  readonly holds: string
  readonly seconds: number
  readonly counts: Readonly<Record<string, number>>
}

/** Into the committed file, in the order of the table; the others stay as they were. */
export function keepProofs(proofs: Readonly<Record<string, Proof>>): void {
  const file = join(root, 'bench/results/proofs.json')
  const { suites: before } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly suites: Readonly<Record<string, Proof>>
  }
  const kept = { date: new Date().toISOString(), source: provenSource() }
  const names = [...suites.faults, ...suites.load, ...suites.agents, ...suites.fleet]
    .map(({ name }) => name)
    .concat('soak', 'mutants')
  const entries = names.flatMap(name => {
    const proof = proofs[name] ? { ...kept, ...proofs[name] } : before[name]
    return proof ? [[name, proof] as const] : []
  })
  writeFileSync(file, `${JSON.stringify({ suites: Object.fromEntries(entries) }, null, 2)}\n`)
  console.log('kept in bench/results/proofs.json; npm run generate puts it into docs/proof.md')
}

/** What was proven, as `git rev-parse HEAD:packages` names it: commits that change only words or figures keep the name. */
function provenSource(): string {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--', 'packages') !== ''
  return `${git('rev-parse', '--short=8', 'HEAD:packages')}${isChanged ? ' and changes' : ''}`
}
