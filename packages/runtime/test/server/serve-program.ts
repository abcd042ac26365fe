import { build } from 'esbuild'

/** Makes the server of `fixtures/serve.ts` one plain file, bundled as it is shipped, so that it starts at once. */
export async function bundleServe(outfile: string): Promise<void> {
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    entryPoints: [new URL('./fixtures/serve.ts', import.meta.url).pathname],
    outfile,
    conditions: ['weave-source'],
    // `ws` is CommonJS and asks for the modules of the platform by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
}
