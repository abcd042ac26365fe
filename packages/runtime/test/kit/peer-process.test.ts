import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { createPeerMarkCheck } from '../../src/kit/peer-process.ts'
import { type TreeShape, treeShapes } from './process-trees.ts'

const marker = 'WEAVE_EXECUTION_ID=/executions/of-this-test'
const isMarked = createPeerMarkCheck(marker)
/** Elsewhere nobody is looked up. */
const isLinux = process.platform === 'linux'

/** A port that hands over each connection. */
async function listening() {
  const server = createServer()
  const open: Socket[] = []
  server.on('connection', socket => {
    socket.on('error', () => undefined)
    open.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

/** The tree, in which the member connects instead of sleeping, and the leader goes when `go` is there. */
function grow({ script }: TreeShape, { dir, port }: { readonly dir: string; readonly port: number }) {
  const program = join(dir, 'member.cjs')
  writeFileSync(
    program,
    `const socket = require('node:net').connect(${port}, '127.0.0.1'); socket.on('error', () => {}); socket.on('close', () => process.exit()); setTimeout(() => process.exit(), 60000)`,
  )
  const connect = `exec ${process.execPath} ${program}`
  const lines = [
    `pids=$1 go=$2 stay='echo $$ >> "$0"; ${connect}'`,
    script.replace('sleep 60', connect),
    'echo leader',
    'for turn in $(seq 300); do [ -e "$go" ] && exit 0; sleep 0.1; done',
  ]
  const words = ['-c', lines.join('\n'), 'leader', join(dir, 'pids'), join(dir, 'go')]
  const [name = '', value = ''] = marker.split('=')
  return spawn('sh', words, { env: { ...process.env, [name]: value }, stdio: 'ignore', detached: true })
}

/** A stopped one connects when it goes on; `isOver`: it has. */
async function wake(pids: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await new Promise(resolve => setTimeout(resolve, 20))
    for (const line of readText(pids).split('\n').filter(Boolean)) {
      try {
        process.kill(Number(line), 'SIGCONT')
      } catch {
        // It has ended.
      }
    }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

for (const shape of treeShapes)
  verifies(
    ['gates/agent-may-watch'],
    `a connection from ${shape.name} is ${shape.onlyByLooks ? 'known while its parent lives, and not after' : 'known as one of the agent, also when the leader has ended'}`,
    async () => {
      if (!isLinux) return
      const dir = await tempDir()
      const { server, port } = await listening()
      const connected = once(server, 'connection')
      const leader = grow(shape, { dir, port })
      let isConnected = false
      if (shape.script.includes('STOP')) void wake(join(dir, 'pids'), () => isConnected)
      const [socket] = (await connected) as [Socket]
      isConnected = true
      expect(await isMarked(socket)).toBe(true)
      const ended = once(leader, 'exit')
      writeFileSync(join(dir, 'go'), '')
      await ended
      expect(await isMarked(socket)).toBe(!shape.onlyByLooks)
      socket.destroy()
    },
    30_000,
  )

verifies(['gates/agent-may-watch'], 'a connection of anybody else is not', async () => {
  if (!isLinux) return
  const { server, port } = await listening()
  const connected = once(server, 'connection')
  const child = spawn(
    process.execPath,
    ['-e', `require('node:net').connect(${port}, '127.0.0.1').on('error', () => {})`],
    { stdio: 'ignore' },
  )
  const [socket] = (await connected) as [Socket]
  expect(await isMarked(socket)).toBe(false)
  socket.destroy()
  child.kill()
})
