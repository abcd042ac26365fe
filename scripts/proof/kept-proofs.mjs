import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.mjs'
import { suites } from './suites.mjs'

/**
 * @typedef {object} Proof
 * @property {string} holds
 * @property {number} seconds
 * @property {Record<string, number>} counts
 */

/** Into the committed file, in the order of the table; the others stay as they were. @param {Record<string, Proof>} proofs */
export function keepProofs(proofs) {
  const file = join(root, 'bench/results/proofs.json')
  const before = readJson(file)?.suites ?? {}
  const date = new Date().toISOString()
  const names = [...suites.faults, ...suites.load].map(({ name }) => name).concat('soak', 'mutants')
  const entries = names.flatMap(name => {
    const proof = proofs[name] ? { date, ...proofs[name] } : before[name]
    return proof ? [[name, proof]] : []
  })
  writeFileSync(file, `${JSON.stringify({ suites: Object.fromEntries(entries) }, null, 2)}\n`)
  console.log('kept in bench/results/proofs.json; npm run generate puts it into docs/proof.md')
}

/** @param {string} file */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
