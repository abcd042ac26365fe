import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { removeTree } from '../../src/files/index.ts'
import { start } from '../../src/kit/index.ts'
import { fixture, outputWatch } from '../kit/fixture.ts'
import { tempDir } from '../kit/temp-dir.ts'

describe('removeTree', () => {
  it('removes a tree with links in it and none of what they point to', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('kept'))
    await writeFile(dir.file('kept/file'), '')
    await mkdir(dir.file('tree/a/b'), { recursive: true })
    for (let file = 0; file < 200; file++) await writeFile(dir.file(`tree/a/${file}`), '')
    await symlink('../../kept', dir.file('tree/a/link'))
    await symlink('nowhere', dir.file('tree/a/b/dangling'))
    await removeTree(dir.file('tree'))
    expect(await readdir(dir.path)).toEqual(['kept'])
    expect(await readdir(dir.file('kept'))).toEqual(['file'])
  })

  it('removes a file, a link to a directory (also with a slash behind it), and nothing at all', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('kept'))
    await writeFile(dir.file('kept/file'), '')
    await writeFile(dir.file('file'), '')
    await symlink('kept', dir.file('link'))
    await removeTree(dir.file('file'))
    await removeTree(`${dir.file('link')}/`)
    await removeTree(dir.file('nothing'))
    expect([await readdir(dir.path), await readdir(dir.file('kept'))]).toEqual([['kept'], ['file']])
  })

  it('removes directories that may not be written to and names that are not text', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('tree/sealed'), { recursive: true })
    await writeFile(Buffer.concat([Buffer.from(dir.file('tree/sealed/')), Buffer.from([0xff, 0xfe])]), '')
    await mkdir(Buffer.concat([Buffer.from(dir.file('tree/')), Buffer.from([0xc3])]), { mode: 0o500 })
    await removeTree(dir.file('tree'))
    expect(await readdir(dir.path)).toEqual([])
  })

  it.each(['', '/', '//', '/..', '/tmp/..'])('refuses %j', async path => {
    // The cap is a safety net for the machine on which this guard is broken one day.
    await expect(removeTree(path, { maxDepth: 0 })).rejects.toThrow(`refusing to remove '${path}'`)
  })

  it('stops at its caps', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('deep/1/2/3'), { recursive: true })
    await expect(removeTree(dir.file('deep'), { maxDepth: 3 })).rejects.toThrow('so deep')
    await removeTree(dir.file('deep'), { maxDepth: 4 })
    await mkdir(dir.file('wide'))
    for (let file = 0; file < 10; file++) await writeFile(dir.file(`wide/${file}`), '')
    await expect(removeTree(dir.file('wide'), { maxEntries: 9 })).rejects.toThrow('so many')
    await removeTree(dir.file('wide'), { maxEntries: 10 })
    expect(await readdir(dir.path)).toEqual([])
  })

  it('fails with the error of the system', async () => {
    await using dir = await tempDir()
    await expect(removeTree(dir.file('n'.repeat(300)))).rejects.toThrow('ENAMETOOLONG')
  })

  it('never follows a link that takes the place of a directory meanwhile', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('kept'))
    await writeFile(dir.file('kept/file'), 'kept')
    await mkdir(dir.file('tree'))
    await symlink(dir.file('kept'), dir.file('trap'))
    const watch = outputWatch()
    const swapper = start(...fixture('swaps-directory', dir.file('tree/name'), dir.file('trap')), {
      env: process.env,
      onOutput: watch.onOutput,
    })
    await watch.until(/ready/)
    for (let turn = 0; turn < 150; turn++) {
      // The swapper may refill the tree faster than it is emptied; only what is outside matters here.
      await removeTree(dir.file('tree')).catch(() => undefined)
      await mkdir(dir.file('tree'), { recursive: true })
    }
    swapper.kill('enough')
    await swapper.done
    expect(await readFile(dir.file('kept/file'), 'utf8')).toBe('kept')
  })
})
