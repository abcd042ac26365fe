import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fetchedNode, fetchedPackage } from '../../scripts/test/fetched-package.mjs'
import { verifies } from '../conformance/verifies.ts'
import { codon, type HankFolder, hankFolder } from '../support/hank-folder.ts'
import { isProof, tally } from '../support/proof.ts'

/**
 * The conformance kit of the protocol's makers against `weave mcp --http`, in both eras. Of its scenarios those count that do
 * not ask for tools, resources and prompts of the kit's own. It needs a newer Node than ours.
 */
const kit = { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12' }
const scenarios = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'server-stateless',
    'tools-list',
    'resources-list',
    'prompts-list',
    'sep-2164-resource-not-found',
    'caching',
    'http-header-validation',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
}

/** The address of a pass-through that shows the token, for a client that has none. */
async function openTo(at: HankFolder): Promise<string> {
  const server = at.start('mcp', '--http')
  const [, port = ''] = /127\.0\.0\.1:(\d+)\/mcp/.exec(await server.until(/token .*\n/)) ?? []
  const authorization = `Bearer ${readFileSync(at.path('home/.weave/mcp-token'), 'utf8').trim()}`
  const through = createServer((asked, answer) => {
    const own = new RegExp(`(localhost|127\\.0\\.0\\.1):${(through.address() as AddressInfo).port}$`)
    const { host = '', origin } = asked.headers
    const headers = {
      ...asked.headers,
      authorization,
      host: host.replace(own, `127.0.0.1:${port}`),
      ...(origin !== undefined && { origin: origin.replace(own, `127.0.0.1:${port}`) }),
    }
    const { url: path, method } = asked
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, got => {
      answer.writeHead(got.statusCode ?? 500, got.headers)
      got.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>(resolve => through.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void through.close())
  return `http://localhost:${(through.address() as AddressInfo).port}/mcp`
}

function said(node: string, words: readonly string[]): Promise<string> {
  return new Promise(resolve => {
    const child = spawn(node, [...words], { env: { ...process.env, NO_COLOR: '1' } })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (text += String(data)))
    child.once('close', () => resolve(text))
  })
}

/** The checks that failed, but for those that the kit could not make without a tool of its own. */
function failuresIn(text: string): readonly string[] {
  const failed = text.match(/\[[\w-]+ *\].*FAILURE.*/g) ?? []
  const untestable = text.match(/Error: Not testable/g) ?? []
  return failed.slice(untestable.length)
}

describe('weave mcp by the conformance kit', () => {
  if (!isProof) {
    test.skip('is left out: npm run proof:faults -- --only mcp runs it')
    return
  }
  verifies(
    ['mcp/http'],
    'holds in both eras whatever needs no tool of the kit',
    async () => {
      const node = fetchedNode(24)
      const program = join(fetchedPackage(kit.name, kit.version), 'dist/index.js')
      const url = await openTo(await hankFolder([codon('one')]))
      for (const [version, names] of Object.entries(scenarios))
        for (const scenario of names) {
          const asked = ['server', '--url', url, '--scenario', scenario, '--spec-version', version]
          const text = await said(node, [program, ...asked])
          expect(text, scenario).toContain('SUCCESS')
          expect(failuresIn(text), text).toEqual([])
          tally('scenarios of the MCP conformance kit', 1)
        }
    },
    600_000,
  )
})
