/** One sample of the server. */
export interface Sample {
  readonly seconds: number
  /** In KiB. */
  readonly rss: number
  readonly files: number
  readonly processes: number
}

type Kind = 'rss' | 'files' | 'processes'

/** Memory may grow by what is written down of every codon, and by no more. */
const mostGrowth = 1.1
const mostFiles = 5

/** Whether something leaks. The first fifth is warming up; after it the second half is held against the first. */
export function judge(samples: readonly Sample[]): {
  readonly ok: boolean
  readonly words: readonly string[]
} {
  const settled = samples.slice(Math.floor(samples.length / 5))
  const half = Math.floor(settled.length / 2)
  const [early, late] = [settled.slice(0, half), settled.slice(half)]
  const growth = mean(late, 'rss') / mean(early, 'rss')
  const files = mean(late, 'files') - mean(early, 'files')
  const processes = mean(late, 'processes') - mean(early, 'processes')
  return {
    ok: half > 0 && growth <= mostGrowth && files <= mostFiles && processes <= mostFiles,
    words: [
      `memory, second half against first: ${growth.toFixed(3)} (at most ${mostGrowth}), ${signed(slope(settled, 'rss') / 1024)} MB an hour`,
      `open files: ${signed(files)} (at most ${mostFiles}), processes: ${signed(processes)} (at most ${mostFiles})`,
    ],
  }
}

function mean(samples: readonly Sample[], kind: Kind): number {
  return samples.reduce((sum, sample) => sum + sample[kind], 0) / Math.max(1, samples.length)
}

/** Of the straight line nearest to all samples, by the hour. */
function slope(samples: readonly Sample[], kind: Kind): number {
  const middle = samples.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, samples.length)
  const level = mean(samples, kind)
  let up = 0
  let along = 0
  for (const sample of samples) {
    up += (sample.seconds - middle) * (sample[kind] - level)
    along += (sample.seconds - middle) ** 2
  }
  return along === 0 ? 0 : (up / along) * 3600
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`
}
