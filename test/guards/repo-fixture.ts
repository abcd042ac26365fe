import type { RepoFile, Violation } from '../../scripts/layers.mjs'

/** A small repository in memory: path → text. */
export type RepoFixture = Readonly<Record<string, string>>

const manifests: RepoFixture = {
  'packages/protocol/package.json': manifest('@weave/protocol'),
  'packages/client/package.json': manifest('weave-client'),
  'packages/runtime/package.json': manifest('@weave/runtime'),
}

/** The given files, among the manifests that say which package is which workspace. */
export function filesOf(fixture: RepoFixture): readonly RepoFile[] {
  return Object.entries({ ...manifests, ...fixture }).map(([path, text]) => ({ path, text }))
}

export function shown(violations: readonly Violation[]): readonly string[] {
  return violations.map(({ path, line, message }) => `${path}:${line} ${message}`)
}

function manifest(name: string): string {
  return JSON.stringify({ name, exports: { '.': { 'weave-source': './src/index.ts' } } })
}
