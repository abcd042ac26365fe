import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { verifies } from '../../../test/conformance/verifies.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { type Fleet, openFleet } from '../src/index.ts'

const environment = { PATH: process.env['PATH'] }

async function postmaster({ engine }: Fleet): Promise<number> {
  const [row] = await engine.database.query<{ data_directory: string }>('show data_directory')
  const folder = row?.data_directory ?? ''
  onTestFinished(() => rmSync(dirname(folder), { recursive: true, force: true }))
  return postmasterIn(folder)
}

function postmasterIn(folder: string): number {
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('the engine of one person', () => {
  verifies(
    ['fleet/engine-alone'],
    'has no port, serves several clients, and is gone with who started it; what was queued is not',
    async () => {
      const home = await tempDir()
      const first = await openFleet({ home, environment, works: false })
      const pid = await postmaster(first)
      const second = await openFleet({ home, environment, works: false })
      expect(await postmaster(second)).toBe(pid)
      const [ports] = await first.engine.database.query<{ listen_addresses: string }>('show listen_addresses')
      expect(ports?.listen_addresses).toBe('')
      await second.close()
      expect(isThere(pid)).toBe(true)
      await first.engine.database.query("insert into fleet.meta values ('kept', 'yes')")
      await first.close()
      expect(isThere(pid)).toBe(false)
      const began = performance.now()
      const again = await openFleet({ home, environment, works: false })
      const took = performance.now() - began
      const [kept] = await again.engine.database.query<{ value: string }>(
        "select value from fleet.meta where key = 'kept'",
      )
      expect(kept?.value).toBe('yes')
      await again.close()
      expect(took).toBeLessThan(10_000)
    },
    60_000,
  )

  verifies(
    ['fleet/engine-alone'],
    'ends when who started it is killed',
    async () => {
      const home = await tempDir()
      const source = new URL('./fixtures/hold-engine.ts', import.meta.url).pathname
      const words = ['--conditions=weave-source', '--import', 'tsx', source, home]
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
      const folder = await new Promise<string>(resolve =>
        child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim())),
      )
      onTestFinished(() => rmSync(dirname(folder), { recursive: true, force: true }))
      const pid = postmasterIn(folder)
      expect(isThere(pid)).toBe(true)
      child.kill('SIGKILL')
      await vi.waitFor(() => expect(isThere(pid)).toBe(false), { timeout: 20_000 })
    },
    60_000,
  )

  verifies(['fleet/unreachable'], 'that is named and not there is said without its address', async () => {
    const home = await tempDir()
    const named = { ...environment, WEAVE_FLEET_URL: 'postgres://me:secret-word@127.0.0.1:1/x' }
    const failed = openFleet({ home, environment: named, works: false })
    await expect(failed).rejects.toMatchObject({ code: 'FLEET_UNREACHABLE' })
    await expect(failed).rejects.not.toThrow('secret-word')
    const without = { PATH: '', WEAVE_FLEET_POSTGRES: home }
    await expect(openFleet({ home, environment: without, works: false })).rejects.toMatchObject({
      code: 'FLEET_NO_POSTGRES',
    })
  })
})
