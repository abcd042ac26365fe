import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atMost, type Figure, interleaved, seconds } from './measure.ts'

const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname
const rounds = 7
const folders = 100
const filesEach = 100

/** A fork of 10,000 files by the built command, against `git clone --local` of its checkpoints and a checkout. */
export async function versionFigures(): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(tmpdir(), 'weave-bench-'))
  try {
    const source = made(base)
    const store = join(source, '.weave/checkpoints')
    const sha = run('git', [
      '--git-dir',
      store,
      'for-each-ref',
      '--format=%(objectname)',
      'refs/heads',
    ]).trim()
    let count = 0
    const result = await interleaved(
      rounds,
      async () => {
        const to = join(base, `clone-${count++}`)
        return seconds(() => {
          run('git', ['clone', '-q', '--local', '--no-checkout', store, to])
          run('git', ['-C', to, 'checkout', '-q', sha])
        })
      },
      async () => {
        const to = join(base, `fork-${count++}`)
        return seconds(() => run(process.execPath, [launcher, 'fork', source, '--at', 'make', '-e', to]))
      },
    )
    const what = 'a fork of 10,000 files, against git clone --local and a checkout'
    return [{ id: 'fork', what, unit: 's', ...result, goal: atMost(2) }]
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** A rehearsal whose rig made the files. */
function made(base: string): string {
  const each = `for f in $(seq ${filesEach}); do echo "$d $f" > src/$d/$f.txt; done`
  const command = { run: `for d in $(seq ${folders}); do mkdir -p src/$d; ${each}; done` }
  const codon = {
    id: 'make',
    name: 'Make',
    model: 'sonnet',
    continuationMode: 'fresh',
    promptText: 'Say ok.',
  }
  const rig = { rigSetup: [{ type: 'command', command }], checkpointedFiles: ['src/**'] }
  writeFileSync(join(base, 'hank.json'), JSON.stringify({ $schema: 'x', hank: [{ ...codon, ...rig }] }))
  const executions = join(base, 'executions/one')
  run(process.execPath, [launcher, 'rehearse', base, '--headless', '-e', executions])
  return executions
}

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return stdout
}
