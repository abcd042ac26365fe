import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { newest, root } from './repository.mjs'
import { leftOut } from './test/programs.mjs'
import { longTests } from './test/quick.mjs'
import { scriptedProgram } from './test/scripted-program.mjs'
import { tool } from './tool.mjs'

// Node reads what this variable names each time it starts, which takes longer than the rest of a start; the tests start it
// thousands of times and ask nobody outside.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
const limit = '--minutes='

/**
 * `npm test`: all but the end-to-end tests that take long; `npm test -- --whole`: everything, of which with `--minutes=15`, as where
 * changes land, only those files of the proofs are run that begin in so many minutes; `npm test -- <files>`: these. The end-to-end tests
 * start built programs, so these are built first when they are old.
 */
const minutes = process.argv.find(word => word.startsWith(limit))?.slice(limit.length)
const words = process.argv.slice(2).filter(word => word !== '--whole' && !word.startsWith(limit))
if (process.argv.includes('--minutes') || (minutes !== undefined && !/^\d+$/.test(minutes))) {
  console.log('Say how many minutes: npm test -- --whole --minutes=15')
  process.exit(2)
}
const isWhole = process.argv.includes('--whole') || words.some(word => !word.startsWith('-'))
const [built] = await Promise.all([buildIfOld(), scriptedProgram()])
const { files, notes } = leftOut()
const long = isWhole ? [] : longTests()
for (const note of notes) console.log(note)
if (long.length > 0)
  console.log(`not run: ${long.length} files that take long; npm test -- --whole runs them, too`)
const exclusions = [...files, ...long].flatMap(file => ['--exclude', file])
process.exitCode = built === 0 ? await run(tool('vitest', 'run', ...exclusions, ...words)) : built

/** @returns {Promise<number>} the exit code */
async function buildIfOld() {
  const workspaces = readdirSync(join(root, 'packages')).map(name => `packages/${name}`)
  const sources = [
    ...workspaces.flatMap(folder => [`${folder}/src`, `${folder}/package.json`]),
    'scripts/bundle',
    'scripts/bundle.mjs',
  ]
  const isOld = Math.max(...sources.map(path => newest(join(root, path)))) > builtAt()
  return isOld ? run(['scripts/bundle.mjs']) : 0
}

function builtAt() {
  return statSync(join(root, 'packages/cli/dist/weave.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** Another commit draws another lot; the same one can be repeated. @returns {NodeJS.ProcessEnv} */
function sampling() {
  if (minutes === undefined) return {}
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return { WEAVE_TEST_MINUTES: minutes, WEAVE_TEST_LOT: stdout.trim() }
}

/** @param {string[]} args @returns {Promise<number>} */
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...env, ...sampling() },
    })
    child.once('error', reject).once('close', code => resolve(code ?? 1))
  })
}
