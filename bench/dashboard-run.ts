import {
  createDashboard,
  createDesk,
  createReaders,
  readAssets,
} from '../packages/runtime/src/dashboard/index.ts'
import { openJournal } from '../packages/runtime/src/journal/index.ts'
import { createRedactor, systemClock } from '../packages/runtime/src/kit/index.ts'
import { startServer } from '../packages/runtime/src/server/index.ts'
import { acquireLock, executionLayout } from '../packages/runtime/src/workspace/index.ts'
import { createFakeControl } from '../packages/runtime/test/server/fake-control.ts'

/**
 * A run in a process of its own, without agents: it says a thousand events in a second when it is told to, and answers pages
 * on its own port as `--web` does. Its reading thread is that of the built command.
 */
export type RunOrder = { readonly tell: number }
export type RunAnswer =
  | { readonly port: number; readonly link: string; readonly key: string }
  | { readonly told: number }

const [, , dir = ''] = process.argv
const layout = executionLayout(dir)
const name = dir.slice(dir.lastIndexOf('/') + 1)
const only = { name, dir }
const words = 'An ordinary event of about three hundred bytes, as a message would be. '.repeat(2)

const dist = new URL('../packages/cli/dist/', import.meta.url).pathname
const launcher = new URL('../packages/cli/bin/weave.cjs', import.meta.url).pathname
const redactor = createRedactor([{ name: 'ANTHROPIC_API_KEY', value: 's3cr3t'.repeat(6) }])
const journal = await openJournal({ dir: layout.journal, clock: systemClock, redactor })
const desk = createDesk({ clock: systemClock, readonly: false })
const dashboard = createDashboard({
  executions: { all: { only }, find: asked => (asked === name ? only : undefined) },
  assets: await readAssets(`${dist}web`),
  desk,
  readers: createReaders({ file: launcher, argv: ['dashboard-reader'] }, { isPolite: true }),
  facts: { version: '0.0.0', hub: false, readonly: false },
  clock: systemClock,
})
const started = await startServer({
  port: 0,
  readonlyOnly: false,
  idleTimeoutSeconds: 0,
  allowOtherUsers: false,
  journal,
  redactor,
  control: createFakeControl(),
  ready: () => ({ serverVersion: '0.0.0', executionPath: dir, dataPath: '' }),
  clock: systemClock,
  http: dashboard.http,
  isPage: dashboard.isPage,
  modeOf: desk.modeOf,
})
if (!started.ok) throw new Error(started.message)
const { port } = started.server
await acquireLock({
  lockFile: layout.lockFile,
  runId: 'run_b',
  clock: systemClock,
  port,
  onLost: () => process.exit(1),
})
const say = (answer: RunAnswer): void => void process.send?.(answer)
const link = () => dashboard.link(port, { name, printed: true }).url
say({ port, link: link(), key: link().split('#key=')[1] ?? '' })

process.on('message', ({ tell }: RunOrder) => {
  const begin = process.hrtime.bigint()
  const millisecond = 1_000_000n
  let told = 0
  const timer = setInterval(() => {
    const due = Math.min(tell, Number((process.hrtime.bigint() - begin) / millisecond))
    for (; told < due; told++) {
      const sent = begin + BigInt(told + 1) * millisecond
      journal.append('info', { message: `sent ${sent} ${words}` })
    }
    if (told < tell) return
    clearInterval(timer)
    say({ told })
  }, 1)
})
process.on('disconnect', () => process.exit())
