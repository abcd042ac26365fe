import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { tool } from '../tool.mjs'

/**
 * What a published library is made of.
 *
 * @typedef {object} Sources
 * @property {string} root the repository
 * @property {string} entry the workspace that is published, such as `client`
 * @property {Readonly<Record<string, string>>} inlined workspaces that are not published, by the name they are imported by
 */

/**
 * Writes the types of a library: of its door, and of all files that its types come from. The compiler writes types file
 * by file and leaves imports as they are, so those of workspaces that nobody can install are turned into paths.
 *
 * @param {Sources & { outdir: string }} options
 * @returns {Promise<{ file: string, bytes: number }[]>}
 */
export async function writeDeclarations({ root, entry, inlined, outdir }) {
  const folder = mkdtempSync(join(tmpdir(), 'weave-types-'))
  try {
    await compile({ root, entry, inlined }, folder)
    return collect({ folder, entry, inlined, outdir })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {Sources} sources @param {string} folder @returns {Promise<void>} */
function compile({ root, entry, inlined }, folder) {
  const config = join(folder, 'tsconfig.json')
  const packages = join(root, 'packages')
  // What is only reached through another workspace counts as installed, and nothing is written for it.
  const include = [entry, ...Object.values(inlined)].map(name => join(packages, name, 'src'))
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: packages,
    outDir: folder,
  }
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, include }),
  )
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, tool('typescript', '-p', config), { stdio: 'inherit' })
    child.once('error', reject)
    child.once('close', code =>
      code === 0 ? resolve() : reject(new Error('The types of a library are wrong.')),
    )
  })
}

/**
 * @param {{ folder: string, entry: string, inlined: Sources['inlined'], outdir: string }} options
 * @returns {{ file: string, bytes: number }[]}
 */
function collect({ folder, entry, inlined, outdir }) {
  const door = (/** @type {string} */ name) => join(folder, name, 'src/index.d.ts')
  const placed = (/** @type {string} */ file) => join(outdir, relative(folder, file).replace('/src/', '/'))
  const wanted = new Set([door(entry)])
  for (const file of wanted) {
    const text = readFileSync(file, 'utf8').replace(specifiers, (whole, before, quote, specifier) => {
      const name = inlined[specifier]
      if (name === undefined && !specifier.startsWith('.')) return whole
      const target =
        name === undefined ? join(dirname(file), specifier.replace(/\.ts$/, '.d.ts')) : door(name)
      wanted.add(target)
      return `${before}${quote}${pathBetween(placed(file), placed(target))}${quote}`
    })
    mkdirSync(dirname(placed(file)), { recursive: true })
    writeFileSync(placed(file), text)
  }
  return [...wanted].map(file => ({ file: placed(file), bytes: statSync(placed(file)).size }))
}

const specifiers = /(\bfrom |\bimport\()(['"])([^'"]+)\2/g

/** @param {string} from @param {string} to a file of types */
function pathBetween(from, to) {
  const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}
