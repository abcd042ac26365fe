import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifies } from '../../../../../test/conformance/verifies.ts'
import { workerEnvironment } from '../../../src/harness/pi/worker-environment.ts'
import { inTurn, openBench, say } from './bench.ts'

verifies(
  [
    'd1/embedded-harness',
    'd8/process-group',
    'd8/process-markers',
    'd8/process-stdin',
    '2.3/env-reaches-agent',
  ],
  'a command of an agent in its own process sees the environment of the codon and nothing else, and no input',
  async () => {
    const look = [
      'env -0 > env.bin',
      'readlink /proc/self/fd/0 > stdin.txt',
      'tr "\\0" "\\n" < /proc/$PPID/environ > worker-env.txt',
      'readlink /proc/$PPID/fd/0 > worker-stdin.txt',
      'ps -o pid=,pgid= -p $PPID > worker-group.txt',
    ]
    const bench = await openBench({
      env: {
        CODON_SAYS: 'hello\ncodon',
        NODE_OPTIONS: '--require ./not-there.js',
        PI_PACKAGE_DIR: '/nowhere',
      },
      respond: inTurn(
        { kind: 'message', parts: [{ kind: 'use', use: 'bash', input: { command: look.join('; ') } }] },
        say('Done.'),
      ),
    })
    const { end } = await bench.run()
    const file = (name: string) => readFile(join(bench.cwd, name), 'utf8')

    expect(end).toEqual({ ok: true })
    const seen = Object.fromEntries(
      (await file('env.bin'))
        .split('\0')
        .filter(Boolean)
        .map(line => line.split(/=(.*)/s).slice(0, 2)),
    )
    const { PWD: pwd, SHLVL: _level, _: _self, ...rest } = seen
    expect(rest).toEqual(bench.spec().env)
    expect(pwd).toBe(bench.cwd)
    expect(await file('stdin.txt')).toBe('/dev/null\n')
    expect(await file('worker-stdin.txt')).toBe('/dev/null\n')
    expect((await file('worker-env.txt')).split('\n')).toEqual(
      expect.arrayContaining([bench.marker, 'WEAVE_CODON_ID=draft']),
    )
    expect(await file('worker-env.txt')).not.toMatch(/NODE_OPTIONS|PI_PACKAGE_DIR/)
    const [pid, group] = (await file('worker-group.txt')).trim().split(/\s+/)
    expect(group).toBe(pid)
  },
  60_000,
)

test('a worker is kept off the network and out of the home of the person', () => {
  const env = {
    PATH: '/bin',
    PI_CODING_AGENT_DIR: '/theirs',
    PI_CACHE_RETENTION: 'long',
    NODE_OPTIONS: '-r x',
  }
  expect(workerEnvironment(env, '/execution/agents')).toEqual({
    PATH: '/bin',
    PI_CACHE_RETENTION: 'long',
    PI_CODING_AGENT_DIR: '/execution/agents/pi',
    PI_OFFLINE: '1',
    PI_SKIP_VERSION_CHECK: '1',
    PI_TELEMETRY: '0',
  })
})
