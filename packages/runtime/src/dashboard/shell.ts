import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { extname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

/** One file of the page. */
interface Asset {
  readonly brotli: Buffer
  readonly type: string
  /** Its name changes with its content. */
  readonly isHashed: boolean
}

/** The page without any data: what a browser may have that has not got in yet. */
export interface Assets {
  /** By the path of an address; the page itself for every address that it shows something at. */
  find(path: string): Asset | undefined
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** As the bundler leaves them: files with a hash in their names, and `index.html`, all compressed. Rejects with the system's error. */
export async function readAssets(dir: string): Promise<Assets> {
  const files = new Map<string, Asset>()
  for (const file of await readdir(dir)) {
    const name = file.replace(/\.br$/, '')
    const type = types[extname(name)]
    if (type === undefined || name === file) continue
    files.set(`/${name}`, { brotli: await readFile(join(dir, file)), type, isHashed: hashed.test(name) })
  }
  return assetsOf(files)
}

const hashed = /[.-][0-9A-Za-z_]{8,}\.\w+$/
const page = /^\/(?:$|e\/[^/]+(?:\/[a-z]*)?$|compare$|fleet(?:\/[\w.-]+)?$)/

function assetsOf(files: ReadonlyMap<string, Asset>): Assets {
  return { find: path => files.get(path) ?? (page.test(path) ? files.get('/index.html') : undefined) }
}

/** For a program that was built without the page. */
export const bareAssets: Assets = assetsOf(
  new Map([
    [
      '/index.html',
      {
        brotli: brotliCompressSync(
          '<!doctype html><html lang="en"><meta charset="utf-8"><title>weave</title><p>This build of weave has no page. Its addresses under /api answer.</p></html>\n',
        ),
        type: 'text/html; charset=utf-8',
        isHashed: false,
      },
    ],
  ]),
)

/**
 * On every answer. The socket is named: not every browser takes 'self' for it. An address of IPv6 is named only to who came by
 * it, since some browsers complain of it.
 */
export function safetyHeaders(port: number, host = ''): Readonly<Record<string, string>> {
  const hosts = ['127.0.0.1', 'localhost', ...(host.startsWith('[::1]') ? ['[::1]'] : [])]
  const sockets = hosts.map(name => `ws://${name}:${port}`).join(' ')
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "font-src 'self'",
      `connect-src 'self' ${sockets}`,
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types weave',
    ].join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

export interface ShellAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

/** Undefined: the page has nothing at this address. */
export function shellAnswer(assets: Assets, path: string, request: IncomingMessage): ShellAnswer | undefined {
  const asset = assets.find(path)
  if (!asset) return undefined
  const accepts = String(request.headers['accept-encoding'] ?? '')
  const isBrotli = /(?:^|,)\s*br\s*(?:,|$)/.test(accepts)
  return {
    bytes: isBrotli ? asset.brotli : brotliDecompressSync(asset.brotli),
    headers: {
      'content-type': asset.type,
      vary: 'accept-encoding',
      ...(isBrotli && { 'content-encoding': 'br' }),
      ...(asset.isHashed && { 'cache-control': 'public, max-age=31536000, immutable' }),
    },
  }
}
