import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.mjs'

/**
 * TABLE of the end-to-end tests of a quick run: those that verify the most rules of the contract for their time, and a run from
 * its start to its end. All of `test/e2e` takes four fifths of a whole run, for a tenth of its tests.
 */
const quick = [
  'cli',
  'contract-rehearsal',
  'contract-socket',
  'dashboard-trace',
  'durable-order',
  'ends',
  'env-file',
  'health-checks',
  'lock-names-run',
  'lsp-neovim',
  'moved-hank',
  'otel-decoded',
  'realistic-hanks',
  'rules',
  'run',
  'setting-variables',
  'socket',
  'socket-commands',
  'tui-face',
  'validate',
]

const folder = 'test/e2e'

/** Others that a whole run has for itself: they pack and install the command. */
const packing = ['test/clients/published.test.ts', 'test/guards/release.test.ts']

/** @returns {string[]} */
export function quickTests() {
  return quick.map(name => `${folder}/${name}.test.ts`)
}

/** What a quick run leaves to a whole one. @returns {string[]} */
export function longTests() {
  const kept = new Set(quickTests())
  const names = readdirSync(join(root, folder)).filter(name => name.endsWith('.test.ts'))
  return [...names.map(name => `${folder}/${name}`).filter(file => !kept.has(file)), ...packing]
}
