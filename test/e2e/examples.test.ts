import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { expectWholeExport } from '../support/decoded-otlp.ts'
import { folderAt, type HankFolder } from '../support/hank-folder.ts'
import { tempDir } from '../support/temp-dir.ts'
import { root, scriptedWeave } from '../support/weave-command.ts'

// The bundle is made before, so that no test here makes it.
beforeAll(scriptedWeave, 120_000)

/** What each rung of the ladder hands over. `02` is rehearsed by the tests of rehearsals. */
const ladder: Readonly<Record<string, readonly string[]>> = {
  '01-one-codon': ['greeting.md'],
  '02-two-agents': ['page.md', 'summary.md'],
  '03-loop': ['ideas.md', 'plan.md'],
  '04-rig-and-outputs': ['slugs/slug.mjs'],
  '05-sentinel': [],
  '06-budget': ['page.md'],
  '07-rollback': ['menu.md'],
  '08-conversation': ['names.txt'],
  '09-gate': ['page.md'],
  '10-fleet': [],
  '10-versions': [],
}
const apart = new Set(['02-two-agents', '10-fleet', '06-budget', '07-rollback', '10-versions'])

async function place(name: string): Promise<HankFolder> {
  const at = folderAt(await tempDir())
  cpSync(join(root, 'examples', name), at.path('example'), { recursive: true })
  return at
}

function outputsOf(at: HankFolder): readonly string[] {
  const folder = at.path('weave-results')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => statSync(join(folder, name)).isFile())
    .sort()
}

describe('the examples', () => {
  test('are the rungs that are named here, each with a script and a page of its own', () => {
    const names = readdirSync(join(root, 'examples')).filter(name => /^\d\d-/.test(name))
    expect(names.sort()).toEqual(Object.keys(ladder))
    for (const name of names)
      expect(readdirSync(join(root, 'examples', name))).toEqual(
        expect.arrayContaining(['README.md', 'hank.json', 'rehearsal.json']),
      )
  })

  test.each(Object.keys(ladder).filter(name => !apart.has(name)))(
    '%s rehearses without a key, takes every step of its script and passes its own check',
    async name => {
      const at = await place(name)
      const { status, stderr } = at.rehearse('example', '--strict')
      expect(status, stderr).toBe(0)
      const wanted = ladder[name] ?? []
      if (wanted.length > 0) expect(outputsOf(at)).toEqual(wanted)
      expectWholeExport(at)
    },
    120_000,
  )

  verifies(
    ['d9/complete-summary'],
    '06-budget stops a codon at its share, says so, and goes on with what it left',
    async () => {
      const at = await place('06-budget')
      const { status, stderr, stdout } = at.rehearse('example', '--strict')
      expect(status, stderr).toBe(0)
      expect(stdout).toContain('budget exceeded in research: its 10 % share of the hank')
      expect(stderr).toMatch(/research +completed .* stopped by budget: \$0\.1 of the hank/)
      expect(outputsOf(at)).toEqual(ladder['06-budget'])
      expectWholeExport(at)
    },
    120_000,
  )

  test('07-rollback fails, is looked at, goes back and comes to its end without doing the first codon again', async () => {
    const at = await place('07-rollback')
    expect(at.rehearse('example').status).toBe(1)
    expect(at.weave('checkpoints').stdout).toMatch(/draft +completed[\s\S]*prices +(failed|error)/)
    expect(at.weave('diff', 'draft', 'prices').stdout).toContain('-Lapsang Souchong')
    expect(at.weave('rollback', 'draft', '--preview').stdout).toContain('menu.md')
    expect(at.weave('rollback', 'draft', '-y').status).toBe(0)
    const again = at.rehearse('example', '--script', 'example/repaired.json')
    expect(again.status, again.stderr).toBe(0)
    expect(again.stdout).not.toContain('codon draft started')
    expect(readFileSync(join(at.cwd, 'weave-results/menu.md'), 'utf8')).toBe(
      'Sencha 3.50\nAssam 3.50\nLapsang Souchong 3.50\n',
    )
    expectWholeExport(at)
  }, 120_000)

  test('10-versions is searched, forked with another model, and compared', async () => {
    const at = await place('10-versions')
    expect(at.rehearse('example', '--strict').status).toBe(0)
    const source = at.execution()
    const searched = at.weave('bisect', '--', 'node', at.path('example/check.mjs'))
    expect(searched.stdout, searched.stderr).toContain('The first bad checkpoint is add#2 completed')
    const forked = at.weave('fork', '--at', 'add#1', '-m', 'opus')
    expect(forked.stdout, forked.stderr).toMatch(/Next {4}add#2 \(claude-opus/)
    const [made = ''] = at.executions().filter(dir => dir !== source)
    const run = at.rehearse('-e', made, '--script', 'example/repaired.json')
    expect(run.status, run.stderr).toBe(0)
    expect(run.stdout).not.toContain('codon add#1 started')
    expect(
      at.weave('bisect', made, '--good', 'list', '--', 'node', at.path('example/check.mjs')).status,
    ).toBe(1)
    const compared = at.weave('compare', source, made)
    expect(compared.stdout).toMatch(/b is a fork of a: first \d+ events in common[\s\S]*prices\.md +modified/)
  }, 120_000)
})
