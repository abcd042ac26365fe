import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** @import { Plugin, PluginBuild } from 'esbuild' */
/** @typedef {{ file: string, name: string }} Origin */

/**
 * Rooms and packages are entered through their door, an `index.ts` that hands on what the files behind it export. To
 * esbuild a door is a reason to load everything behind it. With this plugin every import goes straight to the file that
 * has the thing, so that a command loads only what it uses. An import of a door that cannot be led past it, such as
 * `import * as`, fails the build.
 *
 * @returns {Plugin}
 */
export function throughDoors() {
  return {
    name: 'through-doors',
    setup(build) {
      const doors = createDoors(build)
      build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        straight(readFileSync(path, 'utf8'), path, doors).then(
          contents => ({ contents, loader: 'ts' }),
          (/** @type {unknown} */ error) => ({ errors: [{ text: String(error) }] }),
        ),
      )
    },
  }
}

/** @typedef {ReturnType<typeof createDoors>} Doors */

/** @param {PluginBuild} build */
function createDoors(build) {
  /** @type {Map<string, Promise<string | undefined>>} */
  const packages = new Map()
  /** @type {Map<string, Promise<ReadonlyMap<string, Origin>>>} */
  const known = new Map()

  /** @param {string} from @param {string} specifier */
  const pathOf = async (from, specifier) => {
    if (specifier.startsWith('.')) return join(dirname(from), specifier)
    const found = packages.get(specifier) ?? resolved(specifier, dirname(from))
    packages.set(specifier, found)
    return found
  }
  /** @param {string} specifier @param {string} resolveDir */
  const resolved = async (specifier, resolveDir) => {
    const { path, external, errors } = await build.resolve(specifier, {
      resolveDir,
      kind: 'import-statement',
    })
    return external || errors.length > 0 ? undefined : path
  }
  /** @param {string} door */
  const behind = async door => {
    /** @type {Map<string, Origin>} */
    const origins = new Map()
    const { staticExports } = parseSync(door, readFileSync(door, 'utf8')).module
    for (const { moduleRequest, importName, exportName, isType } of staticExports.flatMap(
      each => each.entries,
    )) {
      if (isType || !moduleRequest || importName.name === null || exportName.name === null) continue
      const file = await pathOf(door, moduleRequest.value)
      if (file === undefined) continue
      const { name } = importName
      const origin = isDoor(file) ? (await things(file)).get(name) : { file, name }
      if (origin) origins.set(exportName.name, origin)
    }
    return origins
  }
  /** What a door hands on, by name. @param {string} door */
  const things = door => {
    const found = known.get(door) ?? behind(door)
    known.set(door, found)
    return found
  }
  return { pathOf, things }
}

/** @param {string} path */
function isDoor(path) {
  return /[\\/]index\.ts$/.test(path)
}

/** @param {string} text @param {string} path @param {Doors} doors */
async function straight(text, path, { pathOf, things }) {
  let result = ''
  let at = 0
  for (const { start, end, moduleRequest, entries } of parseSync(path, text).module.staticImports) {
    const door = await pathOf(path, moduleRequest.value)
    if (door === undefined || !isDoor(door)) continue
    const origins = await things(door)
    const imports = entries
      .filter(({ isType }) => !isType)
      .map(({ importName, localName }) => {
        const { file, name } = origins.get(importName.name ?? '') ?? missing(text.slice(start, end), path)
        return `import { ${name} as ${localName.value} } from ${JSON.stringify(file)};`
      })
    if (entries.length === 0) missing(text.slice(start, end), path)
    // As many lines as before, so that the places in a stack trace stay right.
    const lines = '\n'.repeat(text.slice(start, end).split('\n').length - 1)
    result += text.slice(at, start) + imports.join(' ') + lines
    at = end
  }
  return result + text.slice(at)
}

/** @param {string} statement @param {string} path @returns {never} */
function missing(statement, path) {
  throw new Error(
    `${path} loads a whole room or package: ${statement}\nName what it needs, as the door exports it.`,
  )
}
