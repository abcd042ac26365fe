import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const wanted = ['description', 'license', 'keywords', 'homepage', 'bugs', 'repository', 'engines', 'files']

/**
 * What the manifests and the changelog say: one version everywhere, and every field that a published package needs. With
 * the tag of a release, the changelog must have its date and the addresses must be real.
 *
 * @param {string} root
 * @param {string | undefined} tag
 * @returns {string[]} what is wrong
 */
export function manifestProblems(root, tag) {
  const read = (/** @type {string} */ path) =>
    JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'))
  const main = read('.')
  const packages = main.workspaces.map((/** @type {string} */ path) => ({ path, ...read(path) }))
  const published = packages.filter((/** @type {{ private?: boolean }} */ each) => !each.private)
  const heading = /^## (.+)$/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))?.[1] ?? ''
  const isReleased = /^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$/.test(heading)
  return [
    ...packages
      .filter((/** @type {{ version: string }} */ each) => each.version !== main.version)
      .map(
        (/** @type {{ path: string, version: string }} */ each) =>
          `${each.path} has version ${each.version}, not ${main.version}`,
      ),
    ...(heading.split(' ')[0] === main.version
      ? []
      : [`CHANGELOG.md begins with "${heading}", not with version ${main.version}`]),
    ...published.flatMap((/** @type {Record<string, unknown> & { path: string }} */ each) =>
      wanted.filter(field => !(field in each)).map(field => `${each.path}/package.json has no ${field}`),
    ),
    ...(tag === undefined ? [] : tagProblems({ tag, version: main.version, isReleased, published })),
  ]
}

/** @param {{ tag: string, version: string, isReleased: boolean, published: { path: string, repository?: { url?: string } }[] }} facts */
function tagProblems({ tag, version, isReleased, published }) {
  return [
    ...(tag === `v${version}` ? [] : [`the tag ${tag} is not v${version}`]),
    ...(isReleased ? [] : [`the changelog has no date for it: "## ${version} - <year>-<month>-<day>"`]),
    ...published
      .filter(({ repository }) => /\.invalid\b/.test(repository?.url ?? ''))
      .map(({ path }) => `${path}/package.json has no real address of its repository`),
  ]
}
