import { execFileSync } from 'node:child_process'
import { constants, existsSync, readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rmdir, stat, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../../../test/support/test-clock.ts'
import { createFileLog, type FileLogOptions } from '../../src/kit/index.ts'
import { tempDir } from './temp-dir.ts'

function openLog(path: string, options: Partial<FileLogOptions> = {}) {
  const clock = createTestClock('2026-01-02T03:04:05.678Z')
  return createFileLog({ path, level: 'debug', redact: text => text, maxBytes: 1 << 20, clock, ...options })
}

describe('a file log', () => {
  it('writes one line per entry, to a private file', async () => {
    await using dir = await tempDir()
    const log = openLog(dir.file('log'))
    log.debug('A', 'first')
    log.error('B', 'second\nline', { code: 7 })
    expect(await readFile(dir.file('log'), 'utf8')).toBe(
      '2026-01-02T03:04:05.678Z DEBUG [A] first\n2026-01-02T03:04:05.678Z ERROR [B] second\\nline {"code":7}\n',
    )
    expect((await stat(dir.file('log'))).mode & 0o777).toBe(0o600)
    log.close()
  })

  it('writes what is noted together when all of it is noted, in order', async () => {
    await using dir = await tempDir()
    const log = openLog(dir.file('log'))
    const messages = async () => (await readFile(dir.file('log'), 'utf8')).match(/\w+$/gm)
    log.info('T', 'before')
    log.together(() => {
      log.info('T', 'one')
      log.together(() => log.warn('T', 'two'))
      expect(readFileSync(dir.file('log'), 'utf8')).toMatch(/before\n$/)
    })
    expect(await messages()).toEqual(['before', 'one', 'two'])
    const failing = () =>
      log.together(() => {
        log.info('T', 'three')
        throw new Error('in the middle')
      })
    expect(failing).toThrow('in the middle')
    log.info('T', 'after')
    log.close()
    expect(await messages()).toEqual(['before', 'one', 'two', 'three', 'after'])
  })

  it('leaves out what is below its level', async () => {
    await using dir = await tempDir()
    const log = openLog(dir.file('log'), { level: 'warn' })
    log.debug('T', '1')
    log.info('T', '2')
    log.warn('T', '3')
    log.error('T', '4')
    log.close()
    expect((await readFile(dir.file('log'), 'utf8')).match(/\d$/gm)).toEqual(['3', '4'])
  })

  it('adds to what is there, and opens again after a close', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('log'), 'older\n', { mode: 0o644 })
    const log = openLog(dir.file('log'))
    log.info('T', 'one')
    log.close()
    log.close()
    log.info('T', 'two')
    log.close()
    expect((await readFile(dir.file('log'), 'utf8')).split('\n')).toHaveLength(4)
    expect((await stat(dir.file('log'))).mode & 0o777).toBe(0o600)
  })

  it('turns over before it grows beyond its size, and keeps one older file', async () => {
    await using dir = await tempDir()
    const log = openLog(dir.file('log'), { maxBytes: 200 })
    for (let entry = 0; entry < 20; entry++) log.info('T', `entry ${entry}`)
    log.close()
    expect((await readdir(dir.path)).sort()).toEqual(['log', 'log.1'])
    const older = await readFile(dir.file('log.1'), 'utf8')
    const newer = await readFile(dir.file('log'), 'utf8')
    expect(Math.max(older.length, newer.length)).toBeLessThanOrEqual(200)
    const numbers = (older + newer).match(/\d+$/gm)?.map(Number) ?? []
    expect(numbers.at(-1)).toBe(19)
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
    expect(log.dropped).toBe(0)
  })

  it('counts an entry larger than a whole file as written', async () => {
    await using dir = await tempDir()
    const log = openLog(dir.file('log'), { maxBytes: 10 })
    log.info('T', 'larger than ten bytes')
    log.info('T', 'again')
    log.close()
    expect([log.dropped, existsSync(dir.file('log.1'))]).toEqual([0, true])
  })

  it('drops what cannot be written, says how much, and recovers', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('log'))
    const log = openLog(dir.file('log'))
    log.info('T', 'lost')
    log.together(() => log.info('T', 'lost'))
    expect(log.dropped).toBe(2)
    await rmdir(dir.file('log'))
    log.info('T', 'written')
    log.close()
    expect(log.dropped).toBe(2)
    expect(await readFile(dir.file('log'), 'utf8')).toContain('written')
  })

  it('drops entries while it cannot turn over', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('log.1/in-the-way'), { recursive: true })
    const log = openLog(dir.file('log'), { maxBytes: 60 })
    log.info('T', 'first')
    log.info('T', 'second, for which there is no room')
    log.close()
    expect(log.dropped).toBe(1)
    expect(await readFile(dir.file('log'), 'utf8')).toMatch(/first\n$/)
  })

  it('does not wait on a FIFO in its place', async () => {
    await using dir = await tempDir()
    execFileSync('mkfifo', ['-m', '666', dir.file('log')])
    const log = openLog(dir.file('log'))
    log.error('T', 'text')
    expect(log.dropped).toBe(1)
  })

  it('leaves alone what is not a file', async () => {
    await using dir = await tempDir()
    execFileSync('mkfifo', ['-m', '666', dir.file('log')])
    const reader = await open(dir.file('log'), constants.O_RDONLY | constants.O_NONBLOCK)
    const log = openLog(dir.file('log'))
    log.error('T', 'text')
    await reader.close()
    expect([log.dropped, (await stat(dir.file('log'))).mode & 0o777]).toEqual([1, 0o666])
  })

  it('does not write through a link', async () => {
    await using dir = await tempDir()
    await writeFile(dir.file('target'), '')
    await symlink('target', dir.file('log'))
    const log = openLog(dir.file('log'))
    log.info('T', 'text')
    log.close()
    expect([log.dropped, await readFile(dir.file('target'), 'utf8')]).toEqual([1, ''])
  })

  it('writes nothing that was not redacted, also when redacting fails', async () => {
    await using dir = await tempDir()
    const log = openLog(dir.file('log'), {
      redact(text) {
        if (text.includes('bad')) throw new Error('cannot redact')
        return text.replaceAll('secret', '***')
      },
    })
    log.info('T', 'a secret')
    log.info('T', 'bad secret')
    log.close()
    expect(await readFile(dir.file('log'), 'utf8')).toMatch(/^\S+ INFO \[T\] a \*\*\*\n$/)
    expect(log.dropped).toBe(1)
  })
})
