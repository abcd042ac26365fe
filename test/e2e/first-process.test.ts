import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { findMarked } from '../../packages/runtime/src/kit/index.ts'
import { verifies } from '../conformance/verifies.ts'
import { bash, codon, hankFolder } from '../support/hank-folder.ts'
import { launcher } from '../support/weave-command.ts'

const words = ['--pid', '--fork', '--mount-proc', '--kill-child']
const mayUnshare = spawnSync('unshare', [...words, 'true']).status === 0

describe.runIf(mayUnshare)('weave as the first process of a container', () => {
  verifies(
    ['release/first-process'],
    'ends on SIGTERM with 143 within ten seconds, and leaves nothing',
    async () => {
      const at = await hankFolder([codon('long')], {
        'rehearsal.json': { codons: { long: [bash('echo begun > begun.md; exec sleep 600')] } },
      })
      const command = [process.execPath, launcher, 'rehearse', '--headless', '--port', '0']
      const child = spawn('unshare', [...words, ...command], {
        cwd: at.cwd,
        env: { PATH: process.env['PATH'], ...at.env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      const begun = new Promise<void>(resolve => {
        const hear = (chunk: Buffer): void => {
          said += chunk.toString()
          if (said.includes('begun.md')) resolve()
        }
        child.stdout.on('data', hear)
        child.stderr.on('data', hear)
      })
      const ended = once(child, 'close')
      await Promise.race([begun, ended])
      const [first = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')
      const since = performance.now()
      process.kill(Number(first), 'SIGTERM')
      const [code] = await ended
      expect(code, said).toBe(143)
      expect(performance.now() - since).toBeLessThan(10_000)
      expect(await findMarked(`HOME=${at.env['HOME']}`)).toEqual([])
    },
    60_000,
  )
})
