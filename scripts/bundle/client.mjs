import { join } from 'node:path'
import { writeDeclarations } from './declarations.mjs'
import { bundleLibrary } from './library.mjs'

/**
 * The published client: one module, and its types.
 *
 * @param {{ root: string, outdir: string, external: string[] }} options
 * @returns {Promise<{ file: string, bytes: number }[]>}
 */
export async function bundleClient({ root, outdir, external }) {
  const entry = join(root, 'packages/client/src/index.ts')
  const code = await bundleLibrary({ root, entry, outfile: join(outdir, 'index.js'), external })
  const types = await writeDeclarations({
    root,
    entry: 'client',
    inlined: { '@weave/protocol': 'protocol' },
    outdir: join(outdir, 'types'),
  })
  const bytes = types.reduce((sum, file) => sum + file.bytes, 0)
  return [...code, { file: join(outdir, 'types'), bytes }]
}
