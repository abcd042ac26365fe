import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'
import { throughDoors } from './doors.mjs'
import { inputsOf } from './inlined.mjs'

/**
 * The dashboard, from `packages/web/src/dashboard`, as compressed files with a hash in their names, and `index.html`,
 * the page that loads them. A small script asks the first questions before the rest is there; code
 * that is rarely needed is in files of its own.
 *
 * @param {{ root: string, outdir: string }} options
 * @returns {Promise<{ files: { file: string, bytes: number }[], inputs: string[] }>} `inputs`: the sources that are in it
 */
export async function bundleWebPage({ root, outdir }) {
  const source = join(root, 'packages/web/src/dashboard')
  const early = await bundled([{ in: join(source, 'early.ts'), out: 'early' }], { root, outdir })
  const page = await bundled(
    [
      { in: join(source, 'start.ts'), out: 'dashboard' },
      { in: join(source, 'styles/dashboard.css'), out: 'dashboard' },
      { in: join(source, 'icon.svg'), out: 'icon' },
    ],
    { root, outdir },
  )
  rmSync(outdir, { recursive: true, force: true, maxRetries: 10 })
  mkdirSync(outdir, { recursive: true })
  const built = [early, page].flatMap(({ outputFiles }) =>
    outputFiles.map(({ path, contents }) => ({ path: basename(path), contents })),
  )
  const shell = shellOf(
    built.map(({ path }) => path),
    neededAtOnce(page.metafile),
  )
  const files = [...built, { path: 'index.html', contents: Buffer.from(shell) }].map(
    ({ path, contents }) => ({
      file: join(outdir, `${path}.br`),
      bytes: compressed(contents),
    }),
  )
  for (const { file, bytes } of files) writeFileSync(file, bytes)
  return {
    files: files.map(({ file, bytes }) => ({ file, bytes: bytes.length })),
    inputs: [...new Set([early, page].flatMap(({ metafile }) => inputsOf(metafile, root)))],
  }
}

/**
 * Each call by itself: what two of them share is in both, so that neither waits for a file of the other.
 *
 * @param {{ in: string, out: string }[]} entryPoints
 * @param {{ root: string, outdir: string }} options
 */
function bundled(entryPoints, { root, outdir }) {
  return build({
    entryPoints,
    absWorkingDir: root,
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    loader: { '.svg': 'copy' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['weave-source'],
    logLevel: 'warning',
    plugins: [throughDoors()],
    supported: { 'regexp-unicode-property-escapes': true },
  })
}

/**
 * The files that the page needs before it can begin: a browser would hear of them only when it has read the first.
 *
 * @param {import('esbuild').Metafile} metafile
 */
function neededAtOnce({ outputs }) {
  /** @param {string} path @returns {string[]} */
  const from = path =>
    (outputs[path]?.imports ?? [])
      .filter(({ kind }) => kind === 'import-statement')
      .flatMap(each => [each.path, ...from(each.path)])
  const entries = Object.keys(outputs).filter(path => outputs[path]?.entryPoint?.endsWith('/start.ts'))
  return [...new Set(entries.flatMap(from))].map(path => basename(path))
}

/** The page without any data. @param {readonly string[]} paths @param {readonly string[]} atOnce */
function shellOf(paths, atOnce) {
  const entry = (/** @type {string} */ extension, name = 'dashboard') =>
    paths.find(path => path.startsWith(`${name}-`) && path.endsWith(extension))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>weave</title>
<link rel="icon" href="/${paths.find(path => path.endsWith('.svg'))}">
<script type="module" async src="/${entry('.js', 'early')}"></script>
<link rel="stylesheet" href="/${entry('.css')}">
${atOnce.map(path => `<link rel="modulepreload" href="/${path}">\n`).join('')}<script type="module" src="/${entry('.js')}"></script>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript, which comes from this program alone.</noscript>
</body>
</html>
`
}

/** @param {Uint8Array} contents */
function compressed(contents) {
  return brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
}
