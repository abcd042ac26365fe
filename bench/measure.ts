/** One measured figure and the floor taken in the same run; the goal, if there is one, is a ratio between the two. */
export interface Figure {
  readonly id: string
  readonly what: string
  readonly unit: string
  readonly subject: number
  readonly floor: number
  readonly spread: string
  readonly goal?: Goal
}

export interface Goal {
  readonly kind: 'at least' | 'at most'
  readonly ratio: number
}

export const atLeast = (ratio: number): Goal => ({ kind: 'at least', ratio })
export const atMost = (ratio: number): Goal => ({ kind: 'at most', ratio })

export function ratioOf({ subject, floor }: Figure): number {
  return subject / floor
}

/** The goal and whether it is met, in words; empty without a goal. */
export function verdictOn(figure: Figure): { readonly wanted: string; readonly met: '' | 'yes' | 'NO' } {
  if (!figure.goal) return { wanted: '', met: '' }
  const { kind, ratio } = figure.goal
  const isMet = kind === 'at least' ? ratioOf(figure) >= ratio : ratioOf(figure) <= ratio
  return { wanted: `${kind} ${ratio}`, met: isMet ? 'yes' : 'NO' }
}

/** Runs both alternately and returns the medians: what disturbs the machine disturbs both. */
export async function interleaved(
  rounds: number,
  floor: () => Promise<number> | number,
  subject: () => Promise<number> | number,
): Promise<{ readonly floor: number; readonly subject: number; readonly spread: string }> {
  const floors: number[] = []
  const subjects: number[] = []
  await floor()
  await subject()
  for (let round = 0; round < rounds; round++) {
    floors.push(await floor())
    subjects.push(await subject())
  }
  return { floor: median(floors), subject: median(subjects), spread: spreadOf(subjects) }
}

/** Seconds that a body takes. */
export async function seconds(body: () => unknown): Promise<number> {
  const started = performance.now()
  await body()
  return (performance.now() - started) / 1000
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function spreadOf(values: readonly number[]): string {
  const middle = median(values)
  const deviation = median(values.map(value => Math.abs(value - middle)))
  return `±${((100 * deviation) / middle).toFixed(0)} %`
}
