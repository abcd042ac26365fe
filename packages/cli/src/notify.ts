import { randomUUID } from 'node:crypto'
import {
  createRedactor,
  errorsOf,
  formatProblem,
  readNotifyFile,
  secretsOf,
  systemClock,
  tryTargets,
} from '@weave/runtime'
import type { Arguments } from './parse-arguments.ts'
import { type ExitCode, exitCodes } from './program.ts'
import { notifyPath } from './run/notify-wish.ts'
import { columns, type Terminal } from './terminal.ts'

/** `weave notify test`: sends one notification to each target of the person's own file and says what came of it. */
export async function notifyCommand(args: Arguments, terminal: Terminal): Promise<ExitCode> {
  const [word, ...rest] = args.positionals
  if (word !== 'test' || rest.length > 0) {
    terminal.error('Write: weave notify test')
    return exitCodes.usage
  }
  const path = notifyPath(args)
  const { config, problems } = await readNotifyFile(path, { isNamed: true })
  for (const problem of problems) terminal.error(formatProblem(problem))
  if (!config || errorsOf(problems).length > 0) {
    terminal.error(
      '"weave schema notify" prints what such a file may hold; docs/notifications.md has examples.',
    )
    return exitCodes.failed
  }
  if (config.targets.length === 0) {
    terminal.error(`${path} names no targets: nobody is told of anything.`)
    return exitCodes.failed
  }
  const tried = await tryTargets(config, {
    id: `msg_test_${randomUUID()}`,
    environment: process.env,
    clock: systemClock,
    redactor: createRedactor(secretsOf(process.env)),
    write: process.stderr.isTTY ? bytes => void process.stderr.write(bytes) : undefined,
  })
  const rows = tried.map(({ name, problem, ms }) => [
    problem === undefined ? 'ok' : 'x',
    name,
    problem === undefined ? `told in ${(ms / 1000).toFixed(1)} s` : problem,
  ])
  for (const line of columns(rows)) terminal.out(line)
  return tried.every(({ problem }) => problem === undefined) ? exitCodes.done : exitCodes.failed
}
