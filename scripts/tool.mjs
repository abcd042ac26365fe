import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './repository.mjs'

/**
 * The command line that runs a tool of `node_modules`, the same on every system: no shell, no `.cmd`.
 *
 * @param {string} name the package
 * @param {string[]} args
 * @returns {string[]}
 */
export function tool(name, ...args) {
  const folder = join(root, 'node_modules', name)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const path = typeof bin === 'string' ? bin : Object.values(bin)[0]
  return [join(folder, path), ...args]
}
