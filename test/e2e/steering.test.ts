import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect } from 'vitest'
import { verifies } from '../conformance/verifies.ts'
import { codon, hankFolder } from '../support/hank-folder.ts'

/** A run that waits to be told what to do; `held` hangs until it is skipped or stopped. */
function waiting() {
  const held = codon('held', { promptText: 'Work on held. Then hang.' })
  return hankFolder([codon('first'), held, codon('last')])
}

describe('a run is steered from another shell', () => {
  verifies(
    ['repair/steer-words', 'repair/wait-code'],
    'next starts, redo repeats, skip goes past, and wait returns 0 when all is done',
    async () => {
      const at = await waiting()
      const run = await at.serve()
      expect(at.weave('skip')).toMatchObject({ status: 1, stderr: expect.stringContaining('No codon') })
      expect(at.weave('next')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^next: .*first/) })
      await run.until('codon first completed')
      expect(at.weave('redo', basename(run.dir)).status).toBe(0)
      await run.until(/codon first completed[\s\S]*codon first completed/)
      expect(at.weave('next', '-e', run.dir).status).toBe(0)
      await run.until('codon held started')
      expect(at.weave('wait', '--timeout', '0')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('It still runs after 0 s.'),
      })
      expect(at.weave('next')).toMatchObject({ status: 1, stderr: expect.stringContaining('running') })
      expect(at.weave('skip').status).toBe(0)
      await run.until('codon last completed')
      const waited = at.start('wait')
      await waited.until(' · ')
      expect(await waited.ended).toBe(0)
      expect(waited.said()).toContain('The hank is done')
      expect(at.weave('stop')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('come to its end'),
      })
      expect(await run.ended).toBe(0)
      expect(at.weave('wait')).toMatchObject({ status: 0 })
      expect(at.weave('next')).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing runs') })
    },
    120_000,
  )

  verifies(
    ['repair/stop', 'repair/wait-code'],
    'stop ends a run in good order and says how to go on; whoever waits learns that it is not done',
    async () => {
      const at = await waiting()
      expect(at.weave('stop', '--all')).toMatchObject({ status: 1, stderr: 'Nothing runs.\n' })
      const run = await at.startScripted('--headless')
      await run.until('codon held started')
      const waited = at.start('wait')
      await waited.until(' · ')
      const stopped = at.weave('stop', '--reason', 'lunch')
      expect(stopped).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(
          new RegExp(
            `^Stopped ${basename(at.execution())} after .* s\\.\nGo on with: weave -e ${at.execution()}\n$`,
          ),
        ),
      })
      expect(await run.ended).toBe(0)
      expect(await waited.ended).toBe(130)
      expect(waited.said()).toContain('The hank was stopped: lunch')
      expect(at.weave('stop')).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('Nothing runs in'),
      })
    },
    120_000,
  )

  verifies(
    ['repair/stop'],
    'with --now the server is killed, with --all every one, and the token of the lock opens the door',
    async () => {
      const at = await waiting()
      const run = await at.startScripted('--headless', '--token', 'a-word-of-my-own')
      await run.until('codon held started')
      expect(at.weave('stop', '--all', '--now')).toMatchObject({ status: 0 })
      expect(await run.ended).toBe(null)
      expect(at.weave('wait')).toMatchObject({ status: 1, stdout: 'The run was cut off\n' })

      const again = await at.startScripted('--headless', '-y', '--token', 'a-word-of-my-own')
      await again.until(/codon held started/)
      expect(at.weave('stop')).toMatchObject({ status: 0, stdout: expect.stringContaining('Stopped ') })
      expect(existsSync(at.execution('.weave/lock.json'))).toBe(false)
    },
    120_000,
  )

  verifies(
    ['repair/steer-readonly'],
    'a server that lets clients watch only is not steered; attach --steer needs a screen',
    async () => {
      const at = await waiting()
      const run = await at.serve('--no-autostart', '--readonly-only')
      expect(at.weave('next')).toMatchObject({ status: 1, stderr: expect.stringContaining('watch only') })
      expect(at.weave('attach', '--steer')).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('--steer needs a screen'),
      })
      expect(at.weave('stop').status).toBe(0)
      expect(await run.ended).toBe(0)
    },
    120_000,
  )
})
