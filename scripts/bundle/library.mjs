import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles a library for any environment: one ES module, nothing of Node.
 *
 * @param {{ root: string, entry: string, outfile: string, external: string[] }} options
 * @returns {Promise<{ file: string, bytes: number }[]>}
 */
export async function bundleLibrary({ root, entry, outfile, external }) {
  rmSync(dirname(outfile), { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    conditions: ['weave-source'],
    external,
    sourcemap: 'external',
    sourcesContent: false,
    logLevel: 'warning',
  })
  return Object.entries(metafile.outputs)
    .filter(([path]) => !path.endsWith('.map'))
    .map(([path, { bytes }]) => ({ file: join(root, path), bytes }))
}
