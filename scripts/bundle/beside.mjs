import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inlinedPackages } from './inlined.mjs'
import { noticesOf } from './notices.mjs'
import { sbomOf } from './sbom.mjs'

/**
 * Writes what is packed beside the program: schemas, licence, notices and the list of what is in the bundle.
 *
 * @param {{ root: string, cli: string, inputs: readonly string[] }} options
 */
export function writeBeside({ root, cli, inputs }) {
  cpSync(join(root, 'schemas'), join(cli, 'schemas'), { recursive: true })
  const packages = writeNotices({ root, folder: cli, inputs })
  const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const integrityOf = (/** @type {string} */ place) => locked[place]?.integrity
  const program = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'))
  const sbom = sbomOf(program, packages, { integrityOf, time: sourceTime(root) })
  writeFileSync(join(cli, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  // Not packed: what the bundler itself says, for the check before a release.
  writeFileSync(join(cli, 'dist/inputs.json'), JSON.stringify(inputs))
}

/**
 * The licence of a package, and those of what is in its bundle.
 *
 * @param {{ root: string, folder: string, inputs: readonly string[] }} options
 */
export function writeNotices({ root, folder, inputs }) {
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const packages = inlinedPackages(inputs, root)
  writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.md'), noticesOf(packages))
  return packages
}

/** When the sources were made: as the environment says, else the time of the commit; never the clock. @param {string} root */
function sourceTime(root) {
  const given = process.env['SOURCE_DATE_EPOCH'] ?? commitTime(root)
  return given !== undefined && /^\d+$/.test(given) ? new Date(Number(given) * 1000) : undefined
}

/** @param {string} root */
function commitTime(root) {
  try {
    const words = ['log', '-1', '--format=%ct']
    return execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
