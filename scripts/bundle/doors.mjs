import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @import { Plugin, PluginBuild } from 'esbuild' */
/** @typedef {{ file: string, name: string }} Origin */

/**
 * Rooms and packages are entered through their door, an `index.ts` that hands on what the files behind it export. To
 * esbuild a door is a reason to load everything behind it. With this plugin every import goes straight to the file that
 * has the thing, so that a command loads only what it uses.
 *
 * @returns {Plugin}
 */
export function throughDoors() {
  return {
    name: 'through-doors',
    setup(build) {
      const doors = createDoors(build)
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
        contents: await straight(readFileSync(path, 'utf8'), path, doors),
        loader: 'ts',
      }))
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
    for (const { names, specifier } of statements(readFileSync(door, 'utf8'), 'export')) {
      const file = await pathOf(door, specifier)
      const next = file !== undefined && isDoor(file) ? await things(file) : undefined
      for (const { name, as } of names) {
        const origin = next ? next.get(name) : file === undefined ? undefined : { file, name }
        if (origin) origins.set(as, origin)
      }
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
  let result = text
  for (const { whole, names, specifier } of statements(text, 'import')) {
    const door = await pathOf(path, specifier)
    if (door === undefined || !isDoor(door)) continue
    const origins = await things(door)
    const imports = names.map(({ name, as }) => {
      const { file, name: there } = origins.get(name) ?? { file: door, name }
      return `import { ${there} as ${as} } from ${JSON.stringify(file)};`
    })
    // As many lines as before, so that the places in a stack trace stay right.
    const lines = imports.join(' ') + '\n'.repeat(whole.split('\n').length - 1)
    result = result.replace(whole, () => lines)
  }
  return result
}

/** The statements that name what they import or hand on, without types. @param {string} text @param {string} word */
function statements(text, word) {
  const pattern = new RegExp(`^[ \\t]*${word} \\{([^}]*)\\} from '([^']+)'$`, 'gm')
  return [...text.matchAll(pattern)].map(([whole, list = '', specifier = '']) => ({
    whole,
    specifier,
    names: list
      .split(',')
      .map(item => item.trim())
      .filter(item => item !== '' && !item.startsWith('type '))
      .map(item => {
        const [name = '', as = name] = item.split(' as ')
        return { name, as }
      }),
  }))
}
