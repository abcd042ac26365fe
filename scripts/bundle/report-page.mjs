import { join } from 'node:path'
import { build } from 'esbuild'
import { throughDoors } from './doors.mjs'
import { inputsOf } from './inlined.mjs'

/**
 * The script and the style of report pages, from `packages/web`, as text for the program that writes such pages.
 *
 * Both stand inside an HTML page and are named there by their hashes, so they hold no carriage return, which a browser
 * would change, and nothing that ends their element.
 *
 * @param {string} root
 * @returns {Promise<{ script: string, style: string, inputs: string[] }>} `inputs`: the sources that are in it
 */
export async function bundleReportPage(root) {
  const page = join(root, 'packages/web/src')
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: "import { startReport } from './index.ts'\nstartReport(document)",
      resolveDir: page,
      loader: 'ts',
    },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    charset: 'ascii',
    conditions: ['weave-source'],
    logLevel: 'warning',
    plugins: [throughDoors()],
    supported: { 'regexp-unicode-property-escapes': true },
  })
  const styles = await build({
    entryPoints: [join(page, 'report/report.css')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    minify: true,
    charset: 'ascii',
    target: 'es2022',
    logLevel: 'warning',
  })
  const style = styles.outputFiles[0]?.text ?? ''
  const script = outputFiles[0]?.text ?? ''
  for (const text of [script, style]) {
    if (/\r|<\/(?:script|style)|<!--/i.test(text))
      throw new Error('A report page cannot hold its own script.')
  }
  return { script: script.trim(), style: style.trim(), inputs: inputsOf(metafile, root) }
}
