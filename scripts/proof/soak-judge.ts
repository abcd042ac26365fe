/** One sample of the server, and of the hub beside it. */
export interface Sample {
  readonly seconds: number
  /** Resident, in KiB. */
  readonly rss: number
  readonly hub: number
  /** After a collection, in KiB; not in every sample. */
  readonly heap?: number
  readonly files: number
  readonly processes: number
}

type Kind = 'rss' | 'hub' | 'heap' | 'files' | 'processes'

/** Memory may grow by what is written down of every codon, and by no more. */
const mostGrowth = 1.1
const mostFiles = 5
/** P17, in MiB: a goal that is said, not a leak. */
const goalResident = 130

/** Whether something leaks. The first fifth is warming up; after it the second half is held against the first. */
export function judge(samples: readonly Sample[]): {
  readonly ok: boolean
  readonly words: readonly string[]
} {
  const settled = samples.slice(Math.floor(samples.length / 5))
  const half = Math.floor(settled.length / 2)
  const [early, late] = [settled.slice(0, half), settled.slice(half)]
  const growth = (kind: Kind) => mean(late, kind) / (mean(early, kind) || 1)
  const more = (kind: Kind) => mean(late, kind) - mean(early, kind)
  const memory = (['rss', 'heap', 'hub'] as const).map(kind => ({ kind, by: growth(kind) }))
  const resident = mean(settled, 'rss') / 1024
  return {
    ok:
      half > 0 &&
      memory.every(({ by }) => by <= mostGrowth) &&
      more('files') <= mostFiles &&
      more('processes') <= mostFiles,
    words: [
      ...memory.map(
        ({ kind, by }) =>
          `${names[kind]}, second half against first: ${by.toFixed(3)} (at most ${mostGrowth}), ${signed(slope(settled, kind) / 1024)} MB an hour`,
      ),
      `resident: ${resident.toFixed(1)} MB (goal ${goalResident})`,
      `open files: ${signed(more('files'))} (at most ${mostFiles}), processes: ${signed(more('processes'))} (at most ${mostFiles})`,
    ],
  }
}

const names = { rss: 'memory', heap: 'heap after a collection', hub: 'memory of the hub' }

/** Of the samples that have it. */
function mean(samples: readonly Sample[], kind: Kind): number {
  const values = samples.flatMap(sample => sample[kind] ?? [])
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Of the straight line nearest to all samples, by the hour. */
function slope(samples: readonly Sample[], kind: Kind): number {
  const sampled = samples.filter(sample => sample[kind] !== undefined)
  const middle = sampled.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, sampled.length)
  const level = mean(sampled, kind)
  let up = 0
  let along = 0
  for (const { seconds, [kind]: value = level } of sampled) {
    up += (seconds - middle) * (value - level)
    along += (seconds - middle) ** 2
  }
  return along === 0 ? 0 : (up / along) * 3600
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`
}
