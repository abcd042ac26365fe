import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './repository.mjs'

/** `npm start`: builds the command and runs the first example with it, as a user would. */
const build = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (build.status !== 0) process.exit(build.status ?? 1)

const words = process.argv.slice(2)
const example = words.length > 0 ? words : [join(root, 'examples/01-one-codon'), '--scripted', '--start-new']
const run = spawnSync(process.execPath, [join(root, 'packages/cli/bin/weave.cjs'), ...example], {
  stdio: 'inherit',
})
process.exitCode = run.status ?? 1
