import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const allowed = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0']

/**
 * Whether the list of what is in the bundle is what the bundler itself says, each under a licence that we take, and each
 * named in the notices.
 *
 * @param {string} cli the folder of the built command
 * @returns {string[]} what is wrong
 */
export function contentProblems(cli) {
  /** @type {{ components: { group?: string, name: string, version: string, licenses: { license?: { id: string } }[] }[] }} */
  const { components } = JSON.parse(readFileSync(join(cli, 'sbom.cdx.json'), 'utf8'))
  const notices = readFileSync(join(cli, 'THIRD-PARTY-NOTICES.md'), 'utf8')
  const listed = components.map(({ group, name, version, licenses }) => ({
    id: `${group === undefined ? '' : `${group}/`}${name}@${version}`,
    licence: licenses[0]?.license?.id ?? JSON.stringify(licenses),
  }))
  const inside = bundled(cli)
  return [
    ...inside
      .filter(id => !listed.some(each => each.id === id))
      .map(id => `sbom.cdx.json does not list ${id}`),
    ...listed
      .filter(({ id }) => !inside.includes(id))
      .map(({ id }) => `sbom.cdx.json lists ${id}, which is not inside`),
    ...listed
      .filter(({ licence }) => !allowed.includes(licence))
      .map(({ id, licence }) => `${id} is under ${licence}; allowed are ${allowed.join(', ')}`),
    ...listed
      .filter(({ id }) => !notices.includes(`| ${id.replace(/@([^@]*)$/, ' | $1')} |`))
      .map(({ id }) => `THIRD-PARTY-NOTICES.md does not name ${id}`),
  ]
}

/** The packages that the bundler names, by the paths of its inputs. @param {string} cli */
function bundled(cli) {
  /** @type {string[]} */
  const inputs = JSON.parse(readFileSync(join(cli, 'dist/inputs.json'), 'utf8'))
  const folders = inputs.flatMap(
    path => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? [],
  )
  const ids = [...new Set(folders)].map(folder => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return `${name}@${version}`
  })
  return [...new Set(ids)]
}
