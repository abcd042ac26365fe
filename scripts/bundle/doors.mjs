import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** @import { Plugin, PluginBuild } from 'esbuild' */
/** @import { DynamicImport, StaticImport } from 'oxc-parser' */
/** @typedef {{ file: string, name: string }} Origin */

/**
 * Rooms and packages are entered through their door, an `index.ts` that hands on what the files behind it export. To
 * esbuild a door is a reason to load everything behind it. With this plugin every import goes straight to the file that
 * has the thing, so that a command loads only what it uses; so does `const { thing } = await import(door)`. An import
 * of a door that cannot be led past it, such as `import * as`, fails the build.
 *
 * @returns {Plugin}
 */
export function throughDoors() {
  return {
    name: 'through-doors',
    setup(build) {
      const doors = createDoors(build)
      build.onLoad({ filter: /\.tsx?$/ }, ({ path }) =>
        straight(readFileSync(path, 'utf8'), path, doors).then(
          contents => ({ contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }),
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
async function straight(text, path, doors) {
  const { staticImports, dynamicImports } = parseSync(path, text).module
  const edits = [
    ...(await Promise.all(staticImports.map(found => staticEdit(text, path, { found, doors })))),
    ...(await Promise.all(dynamicImports.map(found => dynamicEdit(text, path, { found, doors })))),
  ]
  let result = ''
  let at = 0
  for (const edit of edits
    .filter(each => each !== undefined)
    .sort((left, right) => left.start - right.start)) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/** @typedef {{ start: number, end: number, text: string }} Edit */

/**
 * @param {string} text @param {string} path
 * @param {{ found: StaticImport, doors: Doors }} options
 * @returns {Promise<Edit | undefined>}
 */
async function staticEdit(text, path, { found: { start, end, moduleRequest, entries }, doors }) {
  const door = await doors.pathOf(path, moduleRequest.value)
  if (door === undefined || !isDoor(door)) return undefined
  const statement = text.slice(start, end)
  const origins = await doors.things(door)
  const imports = entries
    .filter(({ isType }) => !isType)
    .map(({ importName, localName }) => {
      const { file, name } = origins.get(importName.name ?? '') ?? missing(statement, path)
      return `import { ${name} as ${localName.value} } from ${JSON.stringify(file)};`
    })
  if (entries.length === 0) missing(statement, path)
  // As many lines as before, so that the places in a stack trace stay right.
  const lines = '\n'.repeat(statement.split('\n').length - 1)
  return { start, end, text: imports.join(' ') + lines }
}

/**
 * @param {string} text @param {string} path
 * @param {{ found: DynamicImport, doors: Doors }} options
 * @returns {Promise<Edit | undefined>}
 */
async function dynamicEdit(text, path, { found: { start, end, moduleRequest }, doors }) {
  const specifier = /^(['"])(.+)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[2]
  const door = specifier === undefined ? undefined : await doors.pathOf(path, specifier)
  if (door === undefined || !isDoor(door)) return undefined
  const names = /\{([\w\s,]+)\} = await $/.exec(text.slice(0, start))?.[1]?.match(/\w+/g) ?? []
  const origins = await doors.things(door)
  const files = new Set(
    names.map(name => (origins.get(name)?.name === name ? origins.get(name)?.file : undefined)),
  )
  const [file] = files
  if (file === undefined || files.size > 1) return missing(text.slice(start, end), path)
  return { start, end, text: `import(${JSON.stringify(file)})` }
}

/** @param {string} statement @param {string} path @returns {never} */
function missing(statement, path) {
  throw new Error(
    `${path} loads a whole room or package: ${statement}\nName what it needs, as the door exports it.`,
  )
}
