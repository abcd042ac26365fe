import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestServer } from '../../packages/runtime/test/server/test-server.ts'
import { bundleClient } from '../../scripts/bundle/client.mjs'
import { tempDir } from '../support/temp-dir.ts'
import { root } from '../support/weave-command.ts'

const run = promisify(execFile)

/** Packs the client as `npm publish` would and puts it where an installation would. */
async function install(consumer: string): Promise<string> {
  const source = join(root, 'packages/client')
  const copy = join(consumer, 'packing')
  mkdirSync(copy)
  for (const name of ['package.json', 'README.md']) cpSync(join(source, name), join(copy, name))
  await bundleClient({ root, outdir: join(copy, 'dist'), external: ['diff', 'zod'] })
  await run('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: copy })
  const packed = readdirSync(copy).find(name => name.endsWith('.tgz')) ?? ''
  const installed = join(consumer, 'node_modules/weave-client')
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(copy, packed), '-C', installed, '--strip-components=1'])
  for (const from of ['node_modules/zod', 'node_modules/ws', 'packages/client/node_modules/diff'])
    symlinkSync(join(root, from), join(consumer, 'node_modules', basename(from)))
  return installed
}

const program = `
import { connect, createStore, describeEvent, type EventData, type SocketConstructor } from 'weave-client'

export async function look(url: string, socket: SocketConstructor): Promise<string> {
  const client = connect(url, { mode: 'readandwrite', since: 0, socket })
  const store = createStore({ client })
  const words: string[] = []
  client.on('info', event => words.push(event.data.message.toUpperCase(), describeEvent(event)))
  client.on('codon.completed', ({ data }) => {
    const cost: number = data.cost
    // @ts-expect-error: a cost is a number
    const text: string = data.cost
    words.push(text + cost)
  })
  const opened = await client.opened
  if (!opened.ok) return opened.reason
  const mode: 'readonly' | 'readandwrite' = opened.mode
  const ping = await client.send('ping')
  const answer: string = ping.ok ? ping.event.data.message : ping.code
  const { connection, server } = store.getSnapshot()
  const ready: EventData<'server.ready'> | undefined = server
  client.close()
  return JSON.stringify({ mode, answer, words, state: connection.state, version: ready?.serverVersion })
}

export function wrong(url: string, socket: SocketConstructor): void {
  // @ts-expect-error: there is no such mode
  const client = connect(url, { mode: 'owner', socket })
  // @ts-expect-error: there is no such command
  void client.send('codon.explode')
  // @ts-expect-error: which codon?
  void client.send('codon.start')
  // @ts-expect-error: there is no such event
  client.on('codon.exploded', () => {})
}
`

const compiler = join(root, 'node_modules/typescript/bin/tsc')

/** What the strictest of compilers has to say. */
async function complaints(consumer: string, options: object): Promise<string> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: 'es2023',
    module: 'nodenext',
    types: [],
    ...options,
  }
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['look.ts'] }))
  const compiling = spawn(process.execPath, [compiler, '-p', consumer])
  const [said] = await Promise.all([text(compiling.stdout), once(compiling, 'close')])
  return said
}

test('the packed client has types that hold for a strict consumer without Node types, and runs', async () => {
  const consumer = await tempDir()
  const installed = await install(consumer)
  expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json'])
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(consumer, 'look.ts'), program)
  writeFileSync(
    join(consumer, 'main.js'),
    `import { WebSocket } from 'ws'
import { look } from './look.js'
     console.log(await look(process.argv[2], WebSocket))`,
  )
  expect(await complaints(consumer, { lib: ['es2023'], skipLibCheck: true })).toBe('')
  // Types of its own dependency need those of a platform, when they are looked at too.
  expect(await complaints(consumer, { lib: ['es2023', 'dom'], skipLibCheck: false })).toBe('')

  const { port, journal } = await startTestServer()
  journal.append('info', { message: 'hello' })
  const { stdout } = await run(process.execPath, [join(consumer, 'main.js'), `ws://localhost:${port}`])
  expect(JSON.parse(stdout)).toEqual({
    mode: 'readandwrite',
    answer: 'pong',
    words: ['HELLO', 'hello'],
    state: 'open',
    version: '0.10.0',
  })
})
