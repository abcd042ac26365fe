import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { throughDoors } from './doors.mjs'
import { inputsOf } from './inlined.mjs'

/**
 * The published fleet: one script with the driver and the queue in it, so that nothing is installed beside it.
 *
 * @param {{ root: string, outdir: string }} options
 * @returns {Promise<{ files: { file: string, bytes: number }[], inputs: string[] }>}
 */
export async function bundleFleet({ root, outdir }) {
  const outfile = join(outdir, 'index.cjs')
  const result = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'packages/fleet/src/index.ts')],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    conditions: ['weave-source'],
    minify: true,
    define: { __WEAVE_VERSION__: JSON.stringify(versionIn(root)) },
    metafile: true,
    legalComments: 'none',
    // Loaded only by who asks for it, which nobody does.
    external: ['pg-native', 'pg-cloudflare'],
    logLevel: 'warning',
    plugins: [throughDoors()],
  })
  return {
    files: [{ file: outfile, bytes: statSync(outfile).size }],
    inputs: inputsOf(result.metafile, root),
  }
}

/** @param {string} root */
function versionIn(root) {
  return JSON.parse(readFileSync(join(root, 'packages/fleet/package.json'), 'utf8')).version
}
