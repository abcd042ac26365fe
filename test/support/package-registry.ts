import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { tempDir } from './temp-dir.ts'

/** A package as its author publishes it; files that end in `.sh` can be executed, under their names without that. */
export interface PublishedPackage {
  readonly manifest: { readonly name: string; readonly version: string; readonly [field: string]: unknown }
  readonly files: Readonly<Record<string, string>>
}

export interface PackageRegistry {
  /** What makes npm ask here and keep everything of its own in the given folder. */
  readonly env: (home: string) => Readonly<Record<string, string>>
  /** The paths that were asked for. */
  readonly asked: readonly string[]
  /** Archives are held back from now on, until `release`. Resolves when one is asked for. */
  readonly hold: () => { readonly waiting: Promise<void>; readonly release: () => void }
}

/** A registry of npm packages on this machine, with nothing in it but what a test publishes. */
export async function packageRegistry(packages: readonly PublishedPackage[]): Promise<PackageRegistry> {
  const archives = await Promise.all(packages.map(archiveOf))
  const asked: string[] = []
  let gate: { readonly open: Promise<void>; readonly reached: () => void } | undefined
  const respond = async (url: string, response: ServerResponse): Promise<void> => {
    const path = decodeURIComponent(url)
    asked.push(path)
    const archive = archives.find(({ path: own }) => own === path)
    if (!archive) return answer(response, documentOf(path.slice(1), archives, origin()))
    gate?.reached()
    await gate?.open
    response.end(archive.bytes)
  }
  const server = createServer(({ url = '' }, response) => void respond(url, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    asked,
    env: home => ({
      HOME: home,
      npm_config_registry: `${origin()}/`,
      npm_config_cache: join(home, 'npm-cache'),
      npm_config_userconfig: join(home, 'no-npmrc'),
    }),
    hold() {
      let release = (): void => undefined
      let reached = (): void => undefined
      const open = new Promise<void>(resolve => (release = resolve))
      const waiting = new Promise<void>(resolve => (reached = resolve))
      gate = { open, reached }
      return { waiting, release }
    },
  }
}

interface Archive {
  readonly manifest: PublishedPackage['manifest']
  readonly path: string
  readonly bytes: Buffer
}

async function archiveOf({ manifest, files }: PublishedPackage): Promise<Archive> {
  const folder = await tempDir({ inMemory: true })
  const all = { 'package.json': JSON.stringify(manifest), ...files }
  for (const [path, text] of Object.entries(all)) {
    const file = join(folder, 'package', path.replace(/\.sh$/, ''))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (path.endsWith('.sh')) chmodSync(file, 0o755)
  }
  const bytes = execFileSync('tar', ['-czf', '-', '-C', folder, 'package'])
  return { manifest, path: `/-/${manifest.name}/${manifest.version}.tgz`, bytes }
}

function documentOf(name: string, archives: readonly Archive[], origin: string): object | undefined {
  const own = archives.filter(({ manifest }) => manifest.name === name)
  if (own.length === 0) return undefined
  const versions = own.map(({ manifest, path, bytes }) => {
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    return [manifest.version, { ...manifest, dist: { tarball: `${origin}${path}`, integrity } }]
  })
  return { name, 'dist-tags': { latest: own[0]?.manifest.version }, versions: Object.fromEntries(versions) }
}

function answer(response: ServerResponse, document: object | undefined): void {
  response.statusCode = document ? 200 : 404
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(document ?? { error: 'not found' }))
}
