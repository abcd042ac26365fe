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
  const date = new Date().toISOString()
  const names = [...suites.faults, ...suites.load, ...suites.agents, ...suites.fleet]
    .map(({ name }) => name)
    .concat('soak', 'mutants')
  const entries = names.flatMap(name => {
    const proof = proofs[name] ? { date, ...proofs[name] } : before[name]
    return proof ? [[name, proof] as const] : []
  })
  writeFileSync(file, `${JSON.stringify({ suites: Object.fromEntries(entries) }, null, 2)}\n`)
  console.log('kept in bench/results/proofs.json; npm run generate puts it into docs/proof.md')
}
