import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { addressOf } from '../support/editor.ts'
import { hankFolder } from '../support/hank-folder.ts'
import { launcher, root } from '../support/weave-command.ts'

const hasNeovim = spawnSync('nvim', ['--version']).status === 0

verifies(
  ['lsp/neovim'],
  'a real Neovim shows a problem of unsaved text, mends it, and goes where a prompt is',
  async context => {
    if (!hasNeovim) return context.skip('nvim is not installed')
    const codon = { id: 'a', name: 'A', model: 'sonnet', continuationMode: 'fresh', promptFile: 'a.md' }
    const folder = await hankFolder([codon], { 'a.md': '# Write a guide\n' })
    const hank = folder.path('hank.json')
    const { stdout, stderr, status } = spawnSync(
      'nvim',
      ['--headless', '--clean', '-n', '-S', `${root}test/support/nvim/edit-hank.lua`],
      {
        encoding: 'utf8',
        cwd: folder.path(),
        env: {
          PATH: process.env['PATH'],
          HOME: folder.path('home'),
          WEAVE_COMMAND: `${process.execPath} ${launcher}`,
          WEAVE_HANK: hank,
        },
        timeout: 60_000,
      },
    )
    expect(status, stderr).toBe(0)
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>
    expect(said).toMatchObject({ mended: 0, definition: addressOf(folder.path('a.md')) })
    expect(said['broken']).toEqual(
      expect.arrayContaining([expect.objectContaining({ code: 'hank/unknown-field' })]),
    )
    expect(said['line']).toContain('"continuationMode"')
    expect(said['hover']).toContain('Write a guide')
  },
)
