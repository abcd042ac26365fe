import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../../../test/conformance/verifies.ts'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import { checkpointManifest, manifestOf } from './manifest.ts'
import { selectionOf } from './requests.ts'
import { openScene, type Scene } from './scene.ts'

/** Programs that leave a mark when someone runs them. */
interface Trap {
  /** A program; each name leaves its own mark. */
  program(name: string): string
  marks(): readonly string[]
  readonly folder: string
}

async function createTrap(): Promise<Trap> {
  const folder = await tempDir()
  mkdirSync(join(folder, 'marks'))
  return {
    folder,
    program(name) {
      const path = join(folder, name)
      writeFileSync(path, `#!/bin/sh\n: > "${folder}/marks/${name}"\ncat\n`, { mode: 0o755 })
      return path
    },
    marks: () => readdirSync(join(folder, 'marks')).sort(),
  }
}

const hooks = [
  'pre-commit',
  'post-commit',
  'commit-msg',
  'post-checkout',
  'post-index-change',
  'reference-transaction',
  'pre-auto-gc',
  'update',
  'fsmonitor-watchman',
]

/** Everything that a configuration can make git run. */
function configuration(trap: Trap): string {
  return `
[core]
	fsmonitor = ${trap.program('fsmonitor')}
	sshCommand = ${trap.program('ssh-command')}
	pager = ${trap.program('pager')}
	editor = ${trap.program('editor')}
	askPass = ${trap.program('ask-pass')}
	gitProxy = ${trap.program('git-proxy')}
	alternateRefsCommand = ${trap.program('alternate-refs')}
	autocrlf = true
[filter "evil"]
	clean = ${trap.program('clean')}
	smudge = ${trap.program('smudge')}
	required = true
[filter "long"]
	process = ${trap.program('filter-process')}
[diff]
	external = ${trap.program('diff-external')}
[diff "evil"]
	textconv = ${trap.program('textconv')}
	command = ${trap.program('diff-command')}
[merge "evil"]
	driver = ${trap.program('merge-driver')}
[alias]
	diff-files = !${trap.program('alias')}
	cat-file = !${trap.program('alias-cat')}
[credential]
	helper = ${trap.program('credential')}
[gpg]
	program = ${trap.program('gpg')}
[commit]
	gpgSign = true
[uploadpack]
	packObjectsHook = ${trap.program('pack-objects-hook')}
[trace2]
	eventTarget = ${join(trap.folder, 'marks', 'trace2')}
[submodule "evil"]
	update = !${trap.program('submodule-update')}
	url = ext::${trap.program('submodule-url')}
`
}

const attributes = `* text=auto eol=crlf ident filter=evil diff=evil merge=evil export-subst working-tree-encoding=UTF-16
*.long filter=long
`

function plantHooks(folder: string, trap: Trap): void {
  mkdirSync(folder, { recursive: true })
  for (const hook of hooks) {
    const mark = `: > "${trap.folder}/marks/hook-${hook}"`
    writeFileSync(join(folder, hook), `#!/bin/sh\n${mark}\n`, { mode: 0o755 })
  }
}

function plantInWorkspace(scene: Scene, trap: Trap): void {
  execFileSync('git', ['init', '-q', scene.workTree])
  const own = join(scene.workTree, '.git')
  appendFileSync(join(own, 'config'), configuration(trap))
  mkdirSync(join(own, 'info'), { recursive: true })
  writeFileSync(join(own, 'info', 'attributes'), attributes)
  plantHooks(join(own, 'hooks'), trap)
  scene.write('.gitattributes', attributes)
  scene.write('.gitmodules', '[submodule "evil"]\n\tpath = sub\n\turl = ext::evil\n\tupdate = !touch x\n')
  scene.write('sub/.git', 'gitdir: ../.git')
  for (let index = 0; index < 1_010; index++) scene.write(`many/${index}`, `$Id$ ${index}\n`)
}

/** All that a store can do. The content must come through byte for byte. */
async function exercise(scene: Scene): Promise<void> {
  const { store } = scene
  const selection = selectionOf(['**'])
  scene.write('text', 'one\r\n$Id$\n')
  scene.write('text.long', 'two\n')
  const first = await scene.create()
  expect(checkpointManifest(scene, first)).toEqual(manifestOf(scene.workTree))
  scene.write('text', 'changed\n')
  scene.write('many/5', 'changed\n')
  const second = await scene.create()
  expect(checkpointManifest(scene, second)).toEqual(manifestOf(scene.workTree))
  const compared = await store.diff({ from: first, to: second, lines: true, text: true })
  expect(compared.ok && compared.text?.bytes.toString()).toContain('-$Id$')
  scene.write('many/6', 'changed\n')
  expect((await store.diff({ from: second, to: selection, lines: true, text: true })).ok).toBe(true)
  await scene.safety()
  await scene.restore(first)
  expect(manifestOf(scene.workTree)).toEqual(checkpointManifest(scene, first))
  await store.list('run_1')
  await store.read(first)
  await store.listFiles(first)
  expect(await store.isComplete(second)).toBe(true)
  expect(await store.pack()).toEqual({ ok: true })
  expect(await store.prune({ olderThanMs: 0 })).toEqual({ ok: true })
  expect(await store.check()).toEqual({ ok: true, faults: [] })
  await store.close()
}

verifies(
  ['d7/git-no-hooks', 'd7/git-no-filters', 'd7/git-no-fsmonitor', 'd7/git-no-attributes'],
  'nothing that is planted in the workspace is run, and no attribute changes a byte',
  async () => {
    const trap = await createTrap()
    const scene = await openScene()
    plantInWorkspace(scene, trap)
    await exercise(scene)
    expect(trap.marks()).toEqual([])

    // The traps work: a plain git in the workspace springs several.
    spawnSync('git', ['-C', scene.workTree, 'add', '-A'])
    spawnSync('git', ['-C', scene.workTree, '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x'])
    expect(trap.marks()).toEqual(expect.arrayContaining(['clean', 'fsmonitor', 'hook-pre-commit']))
  },
  60_000,
)

verifies(
  ['d7/git-no-outside-config'],
  'nothing that the environment or the configuration of the user says is run or obeyed',
  async () => {
    const trap = await createTrap()
    const home = join(trap.folder, 'home')
    const templates = join(trap.folder, 'templates')
    mkdirSync(join(home, '.config', 'git'), { recursive: true })
    for (const path of ['.gitconfig', '.config/git/config'])
      writeFileSync(join(home, path), configuration(trap))
    writeFileSync(join(home, '.config', 'git', 'attributes'), attributes)
    plantHooks(join(templates, 'hooks'), trap)
    const execPath = join(trap.folder, 'exec')
    mkdirSync(execPath)
    for (const name of ['git-diff-files', 'git-cat-file', 'git-pack-objects', 'git'])
      writeFileSync(join(execPath, name), `#!/bin/sh\n: > "${trap.folder}/marks/exec-path"\n`, {
        mode: 0o755,
      })
    const elsewhere = join(trap.folder, 'elsewhere')
    execFileSync('git', ['init', '-q', elsewhere])
    const variables = {
      PATH: process.env['PATH'],
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      GIT_DIR: join(elsewhere, '.git'),
      GIT_WORK_TREE: elsewhere,
      GIT_INDEX_FILE: join(elsewhere, 'index'),
      GIT_OBJECT_DIRECTORY: join(elsewhere, 'objects'),
      GIT_COMMON_DIR: join(elsewhere, '.git'),
      GIT_NAMESPACE: 'evil',
      GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
      GIT_CONFIG_SYSTEM: join(home, '.gitconfig'),
      GIT_CONFIG_NOSYSTEM: '0',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: trap.program('config-variable'),
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=${trap.program('config-parameters')}'`,
      GIT_EXEC_PATH: execPath,
      GIT_TEMPLATE_DIR: templates,
      GIT_EXTERNAL_DIFF: trap.program('external-diff'),
      GIT_SSH_COMMAND: trap.program('ssh'),
      GIT_PAGER: trap.program('git-pager'),
      GIT_EDITOR: trap.program('git-editor'),
      GIT_ASKPASS: trap.program('git-askpass'),
      GIT_TRACE: join(trap.folder, 'marks', 'trace'),
      GIT_TRACE2: join(trap.folder, 'marks', 'trace2'),
      GIT_LITERAL_PATHSPECS: '0',
      GIT_REPLACE_REF_BASE: 'refs/weave/',
      GIT_QUARANTINE_PATH: elsewhere,
      LD_PRELOAD: '/nonexistent.so',
    }
    const scene = await openScene({ environment: variables })
    for (let index = 0; index < 1_010; index++) scene.write(`many/${index}`, `${index}\n`)
    await exercise(scene)
    expect(trap.marks()).toEqual([])
    expect(readdirSync(elsewhere)).toEqual(['.git'])
    expect(existsSync(join(scene.gitDir, 'hooks'))).toBe(false)
  },
  60_000,
)

verifies(
  ['d3/checkpoint-directory'],
  'what is planted in the git directory itself is not run, and its configuration is ours again at the next start',
  async () => {
    const trap = await createTrap()
    const scene = await openScene()
    for (let index = 0; index < 1_010; index++) scene.write(`many/${index}`, `${index}\n`)
    const sha = await scene.create()
    const [blob = ''] = scene.git('rev-parse', `${sha}:many/1`).toString().split('\n')
    const plant = () => {
      plantHooks(join(scene.gitDir, 'hooks'), trap)
      appendFileSync(join(scene.gitDir, 'config'), configuration(trap))
      writeFileSync(join(scene.gitDir, 'info', 'attributes'), '* -diff -text\n')
      mkdirSync(join(scene.gitDir, 'refs', 'replace'), { recursive: true })
      const other = scene.git('rev-parse', `${sha}:many/2`)
      writeFileSync(join(scene.gitDir, 'refs', 'replace', blob), other)
      writeFileSync(join(scene.gitDir, 'objects', 'info', 'alternates'), `${trap.folder}\n`)
    }
    plant()
    await scene.store.close()
    const store = await scene.reopen()
    expect(existsSync(join(scene.gitDir, 'objects', 'info', 'alternates'))).toBe(false)
    expect(readFileSync(join(scene.gitDir, 'config'), 'utf8')).not.toContain(trap.folder)
    await exercise({ ...scene, store })
    expect(trap.marks()).toEqual([])
  },
  60_000,
)
