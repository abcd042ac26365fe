import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './repository.mjs'

/**
 * `npm run lock`, after every `npm install`: npm leaves optional packages of other platforms out of the lockfile when
 * a registry does not answer for them, and `npm ci` then refuses that lockfile. This writes their entries from what
 * their parents say of them, without an integrity that nobody has seen.
 */
const path = join(root, 'package-lock.json')
const lock = JSON.parse(readFileSync(path, 'utf8'))

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

const added = Object.entries(lock.packages).flatMap(([at, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(at, name))
    .map(([name, version]) => add(at, name, version, entry)),
)
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
console.log(
  added.length === 0 ? 'the lockfile is complete' : `added ${added.length} packages of other platforms`,
)

/** @param {string} at @param {string} name */
function isLocked(at, name) {
  const folders = at === '' ? [''] : ['', `${at}/`]
  return folders.some(folder => `${folder}node_modules/${name}` in lock.packages)
}

/** @param {string} at @param {string} name @param {string} version @param {{ dev?: boolean }} parent */
function add(at, name, version, parent) {
  const words = name.split(/[/-]/)
  const os = systems.filter(system => words.includes(system))
  const cpu = processors.filter(processor => words.includes(processor)).slice(0, 1)
  const exact = version.replace(/^[^0-9]*/, '')
  lock.packages[`node_modules/${name}`] = {
    version: exact,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(parent.dev ? { dev: true } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  }
  return `${at} → ${name}`
}
