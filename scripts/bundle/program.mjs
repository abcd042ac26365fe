import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { build, transform } from 'esbuild'
import { parseSync } from 'oxc-parser'
import { throughDoors } from './doors.mjs'
import { inputsOf } from './inlined.mjs'
import { packed } from './pack.mjs'
import { smallerPackages } from './smaller-packages.mjs'

/**
 * Bundles a program for Node so that it starts fast.
 *
 * Node 20 has a code cache only for scripts, not for ES modules, and esbuild splits only ES modules. So: split as ES
 * modules, which keeps every `import()` lazy and every module single, turn each chunk into a script, put those together
 * that are loaded together, and let `loader.cjs` run them with their code cache. When the oldest Node is 22.1 or later,
 * which caches ES modules itself, the chunks can stay what esbuild writes: `toScript`, the packing and `loader.cjs` go.
 *
 * @param {{ entry: string, outdir: string, name: string, external: string[], define: Record<string, string> }} options
 * @returns {Promise<{ files: { file: string, bytes: number }[], inputs: string[] }>} `inputs`: the sources that are in it
 */
export async function bundleProgram({ entry, outdir, name, external, define }) {
  const { chunks, inputs } = await split({ entry, outdir, external, define })
  const { scripts, entry: start } = packed(await Promise.all(chunks.map(toScript)), graphOf(chunks))
  const loader = readFileSync(new URL('loader.cjs', import.meta.url), 'utf8')
    .replace('__ENTRY__', start)
    .replace('__BUILD__', buildOf(scripts))

  rmSync(outdir, { recursive: true, force: true, maxRetries: 10 })
  mkdirSync(outdir, { recursive: true })
  const files = [
    { file: join(outdir, `${name}.cjs`), contents: Buffer.from(loader) },
    ...scripts.map(script => stored(outdir, script)),
  ]
  for (const { file, contents } of files) writeFileSync(file, contents)
  for (const { name: file, map } of scripts) writeFileSync(join(outdir, `${file}.map`), map)
  return { files: files.map(({ file, contents }) => ({ file, bytes: contents.length })), inputs }
}

/**
 * What is large, and what no frequent command needs at its start, is stored compressed, an eighth smaller than npm would make it;
 * the loader unpacks it in about 2 ms.
 *
 * @param {string} outdir @param {import('./pack.mjs').Script} script
 */
function stored(outdir, { name, code, isSeldom }) {
  const file = join(outdir, name)
  const contents = Buffer.from(code)
  if (!isSeldom || contents.length < largeChunk) return { file, contents }
  return { file: `${file}.br`, contents: brotliCompressSync(contents) }
}

const largeChunk = 30_000

/**
 * What tells this build from every other. The name of a chunk is not enough: packing changes its text afterwards, and V8
 * takes a cache for another text of the same length.
 *
 * @param {readonly { name: string, code: string }[]} scripts
 */
function buildOf(scripts) {
  const hash = createHash('sha256')
  for (const { name, code } of scripts) hash.update(`${name}\n${code}\n`)
  return hash.digest('hex').slice(0, 12)
}

/** @typedef {{ name: string, text: string, isEntry: boolean, isForeign: boolean, imports: readonly ImportedChunk[] }} Chunk */
/** @typedef {{ name: string, isLazy: boolean }} ImportedChunk */

/**
 * @param {{ entry: string, outdir: string, external: string[], define: Record<string, string> }} options
 * @returns {Promise<{ chunks: Chunk[], inputs: string[] }>}
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
    conditions: ['weave-source'],
    mainFields: ['module', 'main'],
    external,
    define,
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [throughDoors(), smallerPackages()],
    supported,
  })
  const outputs = new Map(
    Object.entries(result.metafile.outputs).map(([path, output]) => [basename(path), output]),
  )
  const chunks = result.outputFiles.map(({ path, text }) => {
    const output = outputs.get(basename(path))
    return {
      name: basename(path),
      text,
      isEntry: output?.entryPoint === basename(entry),
      isForeign: Object.keys(output?.inputs ?? {}).every(input => input.includes('node_modules/')),
      imports: (output?.imports ?? [])
        .filter(({ external }) => !external)
        .map(({ path: other, kind }) => ({ name: basename(other), isLazy: kind === 'dynamic-import' })),
    }
  })
  return { chunks, inputs: inputsOf(result.metafile, dirname(entry)) }
}

// Node 20 has them, but not those of the newest Unicode; esbuild would build each such pattern when the program starts.
const supported = { 'regexp-unicode-property-escapes': true }

/** @param {readonly Chunk[]} chunks */
function graphOf(chunks) {
  /** @param {boolean} lazy */
  const edges = lazy =>
    new Map(
      chunks.map(({ name, imports }) => [
        name,
        imports.filter(({ isLazy }) => isLazy === lazy).map(imported => imported.name),
      ]),
    )
  const entry = chunks.find(({ isEntry }) => isEntry)?.name ?? ''
  return { entry, statics: edges(false), lazies: edges(true) }
}

/**
 * The loader answers `require` and, under the name `__weaveImport`, `import()`: a script with a code cache cannot
 * import by itself (Node issue 43663).
 *
 * @param {Chunk} chunk
 */
async function toScript({ name, text, isForeign }) {
  const { code, map } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    supported,
    define: {
      'import.meta.url': '__fileUrl',
      'import.meta.filename': '__filename',
      'import.meta.dirname': '__dirname',
    },
    // Our names stay, so that a stack trace says where it is; what is only white space, everybody would download.
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: isForeign,
    keepNames: isForeign,
    sourcemap: 'external',
    sourcesContent: false,
    sourcefile: name,
  })
  return { name, code: withLoaderImport(code), map }
}

/** @param {string} code */
function withLoaderImport(code) {
  const starts = parseSync('chunk.cjs', code).module.dynamicImports.map(({ start }) => start)
  const parts = [0, ...starts].map((start, index) => code.slice(start, starts[index]))
  return parts
    .map((part, index) => (index === 0 ? part : `__weaveImport${part.slice('import'.length)}`))
    .join('')
}
