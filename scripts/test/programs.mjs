import { spawnSync } from 'node:child_process'

/** TABLE of the tests that drive programs which not every machine has, and how to get these on Debian. */
const needs = [
  {
    program: 'chromium',
    from: 'chromium',
    files: [
      'test/clients/foreign.test.ts',
      'test/clients/foreign-page.test.ts',
      'test/clients/typed-browser.test.ts',
      'test/e2e/report.test.ts',
    ],
  },
  {
    program: '/usr/bin/python3',
    args: ['-c', 'import websockets'],
    from: 'python3 python3-websockets',
    files: ['test/clients/foreign.test.ts'],
  },
  {
    program: '/usr/bin/python3',
    args: ['-c', 'import google.protobuf'],
    from: 'python3 python3-protobuf',
    files: ['test/e2e/otel-decoded.test.ts'],
  },
  {
    program: 'strace',
    from: 'strace',
    files: [
      'test/e2e/journal-kill.test.ts',
      'test/e2e/agents-attack.test.ts',
      'test/e2e/io-errors.test.ts',
      'test/e2e/contract-rehearsal.test.ts',
      'test/e2e/validate-inputs.test.ts',
      'test/e2e/rehearsal-outside.test.ts',
      'test/e2e/undo-kill.test.ts',
      'test/e2e/durable-order.test.ts',
    ],
  },
  { program: 'tmux', args: ['-V'], from: 'tmux', files: ['test/e2e/tui.test.ts'] },
]

/**
 * The tests that cannot run here. With `WEAVE_TEST_PROGRAMS=all`, as where changes land, none is left out: they fail.
 *
 * @returns {{ files: string[], notes: string[] }}
 */
export function leftOut() {
  if (process.env['WEAVE_TEST_PROGRAMS'] === 'all') return { files: [], notes: [] }
  const missing = needs.filter(({ program, args = ['--version'] }) => spawnSync(program, args).status !== 0)
  return {
    files: missing.flatMap(({ files }) => files),
    notes: missing.map(
      ({ from, files }) => `not run: ${files.join(', ')}; it needs: apt-get install ${from}`,
    ),
  }
}
