import type { Mutant } from './mutant.ts'

const gateCommands = 'test/e2e/gates.test.ts'
const detached = 'test/e2e/detach.test.ts'

/** Runs that go on without their terminal. */
export const detach: readonly Mutant[] = [
  {
    rule: 'detach/log',
    file: 'packages/cli/src/run/detached.ts',
    find: '        log.append(text)\n',
    replace: "        if (text === '') log.append(text)\n",
    killedBy: [detached],
  },
  {
    rule: 'detach/comes-back',
    file: 'packages/cli/src/run/detach.ts',
    find: '`Log        ',
    replace: '`In         ',
    killedBy: [detached],
  },
  {
    rule: 'detach/own-session',
    file: 'packages/cli/src/run/detach.ts',
    find: '    detached: true,\n',
    replace: '',
    killedBy: [detached],
  },
  {
    rule: 'detach/quick-return',
    file: 'packages/cli/src/run/detach.ts',
    find: "stdio: ['ignore', fd, fd, 'ipc']",
    replace: "stdio: ['ignore', 'inherit', fd, 'ipc']",
    killedBy: [detached],
  },
  {
    rule: 'detach/checks-first',
    file: 'packages/cli/src/run/execute.ts',
    find: '  if (!prepared.ok || !planned) {',
    replace: "  if (!planned || (!prepared.ok && !args.switches.has('detach'))) {",
    killedBy: [detached],
  },
  {
    rule: 'detach/early-end',
    file: 'packages/cli/src/run/detach.ts',
    find: '    return end.code\n',
    replace: '    return exitCodes.done\n',
    killedBy: [detached],
  },
  {
    rule: 'detach/json',
    file: 'packages/cli/src/run/detach.ts',
    find: 'JSON.stringify({ execution, url, pid, log: layout.runLog })',
    replace: 'JSON.stringify({ execution, url, pid: process.pid, log: layout.runLog })',
    killedBy: [detached],
  },
  {
    rule: 'detach/hangup',
    file: 'packages/cli/src/run/execute.ts',
    find: 'const ignored = isDetached(context.args) ? hangups : undefined',
    replace: 'const ignored = undefined',
    killedBy: [detached],
  },
  {
    rule: 'detach/listed',
    file: 'packages/runtime/src/execution/start.ts',
    find: '  if (options.detached) lock.update({ detached: true })\n',
    replace: '',
    killedBy: [detached],
  },
  {
    rule: 'detach/same-words',
    file: 'packages/cli/src/go-on.ts',
    find: "    ...(token === undefined ? [] : ['--token', token]),\n",
    replace: '',
    killedBy: [detached],
  },
  {
    rule: 'detach/attach',
    file: 'packages/cli/src/attach.ts',
    find: "const mode = switches.has('steer') ? 'readandwrite' : 'readonly'",
    replace: "const mode = 'readonly'",
    killedBy: [detached],
  },
  {
    rule: 'detach/wait-gate',
    file: 'packages/cli/src/steer/wait.ts',
    find: "  return waits === undefined ? { status } : { status: 'waits', reason: waits }\n",
    replace: '  return { status, reason: waits }\n',
    killedBy: [gateCommands],
  },
  {
    rule: 'detach/wait-gate',
    file: 'packages/cli/src/steer/wait.ts',
    find: "  if (status === 'waits') return exitCodes.waits\n",
    replace: '',
    killedBy: ['test/e2e/rules.test.ts'],
  },
]
