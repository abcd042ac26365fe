import { type HarnessWord, installableHarnesses } from '../../packages/runtime/src/harness/index.ts'
import type { PublishedPackage } from '../support/package-registry.ts'

const { platform, arch } = process

/** Packages with the names and versions of a harness, but hardly anything in them. Their scripts leave a trace. */
export function smallHarness(word: HarnessWord): readonly PublishedPackage[] {
  const pins = Object.entries<string>(installableHarnesses[word].packages)
  const own = pins.map(([name, version]) => ({
    manifest: {
      name,
      version,
      type: 'module',
      exports: { '.': { import: './index.js', default: './index.js' } },
      scripts: { postinstall: 'echo ran > "$HOME/script-ran"' },
      ...(word === 'claude' && { optionalDependencies: { [`${name}-${platform}-${arch}`]: version } }),
    },
    files: { 'index.js': 'export const isSmall = true\n' },
  }))
  if (word !== 'claude') return own
  const [name, version] = pins[0] ?? ['', '']
  const program = {
    manifest: { name: `${name}-${platform}-${arch}`, version, os: [platform], cpu: [arch] },
    files: { 'claude.sh': '#!/bin/sh\nexit 0\n' },
  }
  return [...own, program]
}
