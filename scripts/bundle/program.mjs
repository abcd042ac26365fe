import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build, transform } from 'esbuild'
import { scan } from '../layers/scan.mjs'

/**
 * Bundles a program for Node so that it starts fast.
 *
 * Node 20 has a code cache only for scripts, not for ES modules, and esbuild splits only ES modules. So: split as ES
 * modules, which keeps every `import()` lazy and every module single, then turn each chunk into a script that
 * `loader.cjs` runs with its code cache.
 *
 * @param {{ entry: string, outdir: string, name: string, external: string[], define: Record<string, string> }} options
 * @returns {Promise<{ file: string, bytes: number }[]>}
 */
export async function bundleProgram({ entry, outdir, name, external, define }) {
  const chunks = await split({ entry, outdir, external, define })
  const main = chunks.find(chunk => chunk.isEntry)
  const scripts = await Promise.all(chunks.map(toScript))
  const loader = readFileSync(new URL('loader.cjs', import.meta.url), 'utf8').replace(
    '__ENTRY__',
    main?.name ?? '',
  )

  rmSync(outdir, { recursive: true, force: true })
  mkdirSync(outdir, { recursive: true })
  const files = [{ name: `${name}.cjs`, code: loader }, ...scripts]
  for (const { name: file, code } of files) writeFileSync(join(outdir, file), code)
  for (const { name: file, map } of scripts) writeFileSync(join(outdir, `${file}.map`), map)
  return files.map(({ name: file, code }) => ({ file: join(outdir, file), bytes: Buffer.byteLength(code) }))
}

/** @typedef {{ name: string, text: string, isEntry: boolean }} Chunk */

/**
 * @param {{ entry: string, outdir: string, external: string[], define: Record<string, string> }} options
 * @returns {Promise<Chunk[]>}
 */
async function split({ entry, outdir, external, define }) {
  const result = await build({
    absWorkingDir: dirname(entry),
    entryPoints: [entry],
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['development'],
    mainFields: ['module', 'main'],
    external,
    define,
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
  })
  const outputs = Object.entries(result.metafile.outputs)
  const main = basename(outputs.find(([, output]) => output.entryPoint === basename(entry))?.[0] ?? '')
  return result.outputFiles.map(({ path, text }) => ({
    name: basename(path),
    text,
    isEntry: basename(path) === main,
  }))
}

/**
 * The loader answers `require` and, under the name `__weaveImport`, `import()`: a script with a code cache cannot
 * import by itself (Node issue 43663).
 *
 * @param {Chunk} chunk
 */
async function toScript({ name, text }) {
  const { code, map } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    define: {
      'import.meta.url': '__fileUrl',
      'import.meta.filename': '__filename',
      'import.meta.dirname': '__dirname',
    },
    sourcemap: 'external',
    sourcesContent: false,
    sourcefile: name,
  })
  return { name, code: withLoaderImport(code), map }
}

/** @param {string} code */
function withLoaderImport(code) {
  const { bare } = scan(code)
  const starts = [...bare.matchAll(/(?<![.\w$])import(?=\s*\()/g)].map(match => match.index)
  const parts = [0, ...starts].map((start, index) => code.slice(start, starts[index]))
  return parts
    .map((part, index) => (index === 0 ? part : `__weaveImport${part.slice('import'.length)}`))
    .join('')
}
