import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.mjs'

/**
 * A package that only some tests need, fetched by npm once and kept out of the way.
 *
 * @param {string} name @param {string} version
 * @returns {string} its directory
 */
export function fetchedPackage(name, version) {
  const folder = join(root, 'node_modules/.cache/weave-packages', `${name.replaceAll('/', '+')}-${version}`)
  const found = join(folder, 'node_modules', name)
  if (existsSync(found)) return found
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const install = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', [...install, `${name}@${version}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`npm could not fetch ${name}@${version}.`)
  return found
}

/** TABLE of the versions of Node that can be fetched, by their major number: those that npm has for x64 and for arm64. */
export const nodeVersions = { 22: '22.23.3', 24: '24.21.0' }

/** @param {keyof typeof nodeVersions} major @returns {string} the program */
export function fetchedNode(major) {
  return join(fetchedPackage(`node-${process.platform}-${process.arch}`, nodeVersions[major]), 'bin/node')
}
