import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('the package bundles for a browser and asks nothing of Node', async () => {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('../src/index.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['weave-source'],
    logLevel: 'silent',
  })
  const text = result.outputFiles[0]?.text ?? ''
  const imports = Object.values(result.metafile.outputs).flatMap(output => output.imports)
  expect(imports).toEqual([])
  expect(text).not.toMatch(/["']node:/)
  expect(text).not.toContain('require(')
  expect(text).toContain('handshake')
  const inputs = Object.keys(result.metafile.inputs)
  expect(inputs.some(path => builtinModules.includes(path))).toBe(false)
  expect(inputs.filter(path => /node_modules\/(?!zod\/|diff\/)/.test(path))).toEqual([])
})
