import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root } from './repository.mjs'

/**
 * `npm run test:node -- 24 [files]`: the tests on another Node, which comes as a package of npm, so that nothing of the
 * machine is changed. Without files it is the whole suite.
 */
const versions = { 22: '22.23.3', 24: '24.22.0' }
const [major = '', ...words] = process.argv.slice(2)

if (!Object.hasOwn(versions, major)) {
  console.log(`Say on which Node: npm run test:node -- ${Object.keys(versions).join(' | ')} [files]`)
  process.exitCode = 2
} else {
  const node = fetched(versions[/** @type {keyof typeof versions} */ (Number(major))])
  const path = [dirname(node), process.env['PATH']].join(delimiter)
  const env = { ...process.env, PATH: path }
  const { status } = spawnSync(node, ['scripts/test.mjs', ...words], { cwd: root, stdio: 'inherit', env })
  process.exitCode = status ?? 1
}

/** @param {string} version */
function fetched(version) {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(root, 'node_modules/.cache/weave-node', version)
  const node = join(folder, 'node_modules', name, 'bin/node')
  if (existsSync(node)) return node
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', [...install, `${name}@${version}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm could not fetch ${name}@${version}.`)
  return node
}
