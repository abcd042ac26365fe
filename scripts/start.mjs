import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './repository.mjs'

/** `npm start`: builds the command and rehearses an example with it, as a user would. Needs no key. */
console.error('Building the command; this takes some seconds …')
const build = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (build.status !== 0) process.exit(build.status ?? 1)

const words = process.argv.slice(2)
const example = ['rehearse', join(root, 'examples/02-two-agents'), '--start-new', '--overwrite-output']
const run = spawnSync(
  process.execPath,
  [join(root, 'packages/cli/bin/weave.cjs'), ...(words.length > 0 ? words : example)],
  { stdio: 'inherit' },
)
process.exitCode = run.status ?? 1
