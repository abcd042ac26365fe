import { execFileSync } from 'node:child_process'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readRegularFile } from '../../src/files/index.ts'
import { start } from '../../src/kit/index.ts'
import { fixture, outputWatch } from '../kit/fixture.ts'
import { tempDir } from '../kit/temp-dir.ts'

describe('readRegularFile', () => {
  it('gives the bytes and what the system knows of the file', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'text')
    const result = await readRegularFile(dir.file('file'), { maxBytes: 4 })
    expect(result).toMatchObject({ ok: true, bytes: Buffer.from('text'), stat: { size: 4 } })
  })

  it('reads an empty file with a cap of nothing', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('empty'), '')
    expect(await readRegularFile(dir.file('empty'), { maxBytes: 0 })).toMatchObject({ ok: true })
  })

  it('refuses a file that is one byte too large', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'text')
    const result = await readRegularFile(dir.file('file'), { maxBytes: 3 })
    expect(result).toMatchObject({ ok: false, reason: 'too-large' })
  })

  it('refuses a huge file without reading it', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('sparse'), '')
    await truncate(dir.file('sparse'), 1024 ** 4)
    const result = await readRegularFile(dir.file('sparse'), { maxBytes: 1 << 20 })
    expect(result).toMatchObject({ ok: false, reason: 'too-large' })
  })

  it('keeps to the cap for a file that claims to be empty and is not', async () => {
    const result = await readRegularFile('/proc/self/status', { maxBytes: 1 << 20 })
    expect(result.ok && result.bytes.toString()).toContain('Pid:')
    const capped = await readRegularFile('/proc/self/status', { maxBytes: 10 })
    expect(capped).toMatchObject({ ok: false, reason: 'too-large' })
  })

  it('tells what is missing, a link, or not a regular file', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('file'), 'text')
    await symlink('file', dir.file('link'))
    await symlink('nowhere', dir.file('dangling'))
    await mkdir(dir.file('directory'))
    const reasonOf = async (name: string) => {
      const result = await readRegularFile(dir.file(name), { maxBytes: 100 })
      return result.ok ? 'ok' : result.reason
    }
    expect(await reasonOf('nothing')).toBe('missing')
    expect(await reasonOf('file/below')).toBe('missing')
    expect(await reasonOf('link')).toBe('symlink')
    expect(await reasonOf('dangling')).toBe('symlink')
    expect(await reasonOf('directory')).toBe('not-regular')
    expect(await reasonOf('n'.repeat(300))).toBe('unreadable')
    expect(await reasonOf('nul\0')).toBe('unreadable')
    const device = await readRegularFile('/dev/zero', { maxBytes: 100 })
    expect(device).toMatchObject({ ok: false, reason: 'not-regular' })
  })

  it('does not wait on FIFOs, nor on sockets', async () => {
    await using dir = await tempDir()
    const pipes = ['1', '2', '3', '4', '5', '6'].map(dir.file)
    execFileSync('mkfifo', pipes)
    const server = createServer().listen(dir.file('socket'))
    await new Promise(resolve => server.once('listening', resolve))
    const results = await Promise.all(
      [...pipes, dir.file('socket')].map(path => readRegularFile(path, { maxBytes: 100 })),
    )
    server.close()
    expect(results.map(result => (result.ok ? 'ok' : result.reason))).toEqual(
      results.map(() => 'not-regular'),
    )
  })

  it('never reads through a link or a FIFO that takes the place of the file meanwhile', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('secret'), 'secret')
    await writeFile(dir.file('honest'), 'honest')
    await symlink('secret', dir.file('trap'))
    execFileSync('mkfifo', [dir.file('pipe')])
    const watch = outputWatch()
    const swapper = start(
      ...fixture('swaps', ...['name', 'honest', 'trap', 'honest', 'pipe'].map(dir.file)),
      {
        env: process.env,
        onOutput: watch.onOutput,
      },
    )
    await watch.until(/ready/)
    const seen = new Set<string>()
    for (let reads = 0; reads < 1500 || !seen.has('honest'); reads++) {
      const result = await readRegularFile(dir.file('name'), { maxBytes: 100 })
      seen.add(result.ok ? result.bytes.toString() : result.reason)
    }
    swapper.kill('enough')
    await swapper.done
    expect(seen).not.toContain('secret')
  })
})
