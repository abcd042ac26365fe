import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { bundleProgram } from '../../scripts/bundle/program.mjs'
import { tempDir } from '../support/temp-dir.ts'

const source = join(import.meta.dirname, '../../packages/runtime/src')
const upstream = JSON.stringify(join(source, 'proxy/upstream/upstream-transport.ts'))
const templates = JSON.stringify(join(source, 'sentinel/run-template.ts'))

it('what is left of undici still tunnels, and the packed interpreter still runs', async () => {
  const heads: string[] = []
  const server = createServer(socket =>
    socket.once('data', head => {
      heads.push(head.toString('latin1').split('\r\n', 1)[0] ?? '')
      socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n')
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const folder = await tempDir()
  const dist = join(folder, 'dist')
  writeFileSync(
    join(folder, 'main.ts'),
    `async function main() {
      const { createUpstreamTransport } = await import(${upstream})
      const { loadEngine, runTemplate } = await import(${templates})
      const transport = await createUpstreamTransport({
        upstream: { isTls: false, hostname: 'far.invalid', port: 80, host: 'far.invalid', prefix: '' },
        proxy: { isTls: false, hostname: '127.0.0.1', port: Number(process.argv[2]) },
        environment: {},
        log: { info() {}, warn() {}, error() {}, debug() {} },
      })
      const failed = new Promise(resolve => {
        transport.send({ method: 'GET', target: '/', headers: [] }, { fail: error => resolve(error.message) })
      })
      console.log(await failed)
      transport.close()
      const answer = runTemplate(await loadEngine(), { kind: 'render', code: 'it => it + it', it: '"ab"' }, 1000)
      console.log(answer.text)
    }
    void main()`,
  )
  await bundleProgram({
    entry: join(folder, 'main.ts'),
    outdir: dist,
    name: 'small',
    external: [],
    define: {},
  })
  const { port } = server.address() as AddressInfo
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    join(dist, 'small.cjs'),
    String(port),
  ])
  expect(stdout.split('\n'), stderr).toEqual(['The outbound proxy answered with 407.', 'abab', ''])
  expect(heads).toEqual(['CONNECT far.invalid:80 HTTP/1.1'])
})
