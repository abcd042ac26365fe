import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentProblems } from './release/contents.mjs'
import { tryFirstNpx, tryInstalled } from './release/installed.mjs'
import { manifestProblems } from './release/manifests.mjs'
import { pack, packedProblems } from './release/packed.mjs'
import { manProblems, toolProblems } from './release/tools.mjs'
import { root } from './repository.mjs'

/**
 * `npm run release:check`: everything that must be right before the packages are published. With `--tag v1.2.3`, as for a
 * release, also that version, tag and changelog are one. `--offline` leaves out the two tools that npm has to fetch.
 */
const words = process.argv.slice(2)
const tag = words.includes('--tag') ? (words[words.indexOf('--tag') + 1] ?? '') : undefined
const cli = join(root, 'packages/cli')
const client = join(root, 'packages/client')
const folder = mkdtempSync(join(tmpdir(), 'weave-release-'))
let failed = 0

try {
  say('versions, changelog, manifests', manifestProblems(root, tag))
  say('build', built())
  if (failed === 0) afterBuild()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0

function afterBuild() {
  say('sbom, notices, licences', contentProblems(cli))
  say('man page', manProblems(join(cli, 'man/weave.1')))
  const packed = pack(cli, folder)
  say(
    `packed files: ${packed.files.length}, ${packed.size} bytes`,
    packedProblems(packed, join(root, 'scripts/release')),
  )
  if (!words.includes('--offline')) {
    say('publint weave-runtime', toolProblems('publint', 'publint', [cli, '--strict']))
    say('publint weave-client', toolProblems('publint', 'publint', [client, '--strict']))
    const types = ['--pack', client, '--profile', 'esm-only']
    say('types of weave-client', toolProblems('@arethetypeswrong/cli', 'attw', types))
  }
  const { version } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'))
  const trial = { archive: join(folder, packed.filename), folder, root, version }
  sayTrial('installed alone', tryInstalled(trial))
  if (!words.includes('--offline')) sayTrial('first npx', tryFirstNpx(trial))
}

/** @param {string} what @param {import('./release/installed.mjs').Trial} trial */
function sayTrial(what, { problems, seconds, bytes }) {
  say(`${what}: ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB`, problems)
}

function built() {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/bundle.mjs')], {
    encoding: 'utf8',
  })
  return status === 0 ? [] : [stderr]
}

/** @param {string} what @param {readonly string[]} problems */
function say(what, problems) {
  console.log(`${problems.length === 0 ? 'ok' : 'x '}  ${what}`)
  for (const problem of problems) console.log(`    ${problem.replaceAll('\n', '\n    ')}`)
  failed += problems.length
}
