import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkRelativeSpelling, resolveInside } from '../../src/files/index.ts'
import { tempDir } from '../kit/temp-dir.ts'

describe('checkRelativeSpelling', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['.', []],
    ['./a//b/', ['a', 'b']],
    ['a/../b', ['b']],
    ['..a/b..', ['..a', 'b..']],
    ['a b/ c ', ['a b', ' c ']],
    ['-rf', ['-rf']],
    ['~/x', ['~', 'x']],
    ['ab:c', ['ab:c']],
  ])('reads %j', (path, components) => {
    expect(checkRelativeSpelling(path)).toEqual({ ok: true, components })
  })

  it.each([
    ['/etc/passwd', 'absolute'],
    ['//host/share', 'absolute'],
    ['C:foo', 'absolute'],
    ['c:\\', 'absolute'],
    ['C:/x', 'absolute'],
    ['a\\b', 'backslash'],
    ['\\\\host\\share', 'backslash'],
    ['a\0b', 'nul'],
    ['/\0', 'nul'],
    ['..', 'outside'],
    ['a/../..', 'outside'],
    ['a/../../root/x', 'outside'],
    ['./../x', 'outside'],
  ])('refuses %j as %s', (path, reason) => {
    expect(checkRelativeSpelling(path)).toEqual({ ok: false, reason })
  })

  it('never lets a path out', () => {
    const part = fc.constantFrom('a', '..', '.', '', 'b c', '...')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const spelled = checkRelativeSpelling(parts.join('/'))
        if (spelled.ok) expect(spelled.components).not.toContain('..')
        else expect(['outside', 'absolute']).toContain(spelled.reason)
        const real = resolve('/root/of', parts.join('/'))
        if (spelled.ok) expect(join('/root/of', ...spelled.components)).toBe(real)
      }),
    )
  })
})

describe('resolveInside', () => {
  it('finds what is there and what is not yet', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('a'))
    await writeFile(dir.file('a/file'), '')
    for (const path of ['a/file', 'a/new/deep', 'a/file/below', '', '.']) {
      expect(resolveInside(dir.path, path)).toEqual({ ok: true, path: join(dir.path, path) })
    }
  })

  it('names the component that is a link, wherever the link points and whether it is last or not', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('root/a/real'), { recursive: true })
    await symlink('/etc', dir.file('root/a/out'))
    await symlink('real', dir.file('root/a/in'))
    await symlink('nowhere', dir.file('root/dangling'))
    const root = dir.file('root')
    expect(resolveInside(root, 'a/out/passwd')).toEqual({ ok: false, reason: 'symlink', component: 'a/out' })
    expect(resolveInside(root, 'a/in')).toEqual({ ok: false, reason: 'symlink', component: 'a/in' })
    expect(resolveInside(root, 'dangling')).toEqual({ ok: false, reason: 'symlink', component: 'dangling' })
  })

  it('does not mind links on the way to the root', async () => {
    await using dir = await tempDir()
    await mkdir(dir.file('real/root/a'), { recursive: true })
    await symlink('real', dir.file('way'))
    await symlink('real/root', dir.file('link-to-root'))
    expect(resolveInside(dir.file('way/root'), 'a/x')).toEqual({ ok: true, path: dir.file('way/root/a/x') })
    expect(resolveInside(dir.file('link-to-root'), 'a')).toEqual({
      ok: true,
      path: dir.file('link-to-root/a'),
    })
  })

  it('works below a root that does not exist yet', async () => {
    await using dir = await tempDir()
    expect(resolveInside(dir.file('new'), 'a/b')).toEqual({ ok: true, path: dir.file('new/a/b') })
  })

  it('passes on what the spelling says', async () => {
    await using dir = await tempDir()
    expect(resolveInside(dir.path, '../x')).toEqual({ ok: false, reason: 'outside' })
    expect(resolveInside(dir.path, 'C:x')).toEqual({ ok: false, reason: 'absolute' })
  })

  it('does not vouch for what it cannot look at', async () => {
    await using dir = await tempDir()
    const name = 'n'.repeat(300)
    expect(resolveInside(dir.path, `${name}/x`)).toEqual({ ok: false, reason: 'unreadable', component: name })
    await symlink('loop', dir.file('loop'))
    expect(resolveInside(dir.file('loop'), 'x')).toMatchObject({ ok: false, reason: 'unreadable' })
  })
})
