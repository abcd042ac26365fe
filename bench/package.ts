import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Figure } from './measure.ts'

/** P14: what somebody downloads who installs the command, without the optional SDKs. */
export async function packageFigures(): Promise<readonly Figure[]> {
  const folder = new URL('../packages/cli/', import.meta.url)
  const { stdout, status } = spawnSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error('npm pack failed; run: npm run build')
  const [packed] = JSON.parse(stdout) as readonly { readonly size: number }[]
  const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>
  }
  return [
    against('P14 size', 'the packed command, against 1.8 MB', {
      unit: 'MB',
      subject: (packed?.size ?? Number.NaN) / 1e6,
      floor: 1.8,
    }),
    against('P14 packages', 'packages that come with it, against 40', {
      unit: 'packages',
      subject: 1 + Object.keys(manifest.dependencies ?? {}).length,
      floor: 40,
    }),
  ]
}

function against(id: string, what: string, values: Pick<Figure, 'unit' | 'subject' | 'floor'>): Figure {
  return { id, what, ...values, spread: '', goal: { kind: 'at most', ratio: 1 } }
}
