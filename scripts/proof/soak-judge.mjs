/** @typedef {import('./soak-judge.d.mts').Look} Look */

/** Memory may grow by what is written down of every codon, and by no more. */
const mostGrowth = 1.1
const mostFiles = 5

/**
 * Whether something leaks. The first fifth is warming up; after it the second half is held against the first.
 *
 * @param {readonly Look[]} looks
 */
export function judge(looks) {
  const settled = looks.slice(Math.floor(looks.length / 5))
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

/** @typedef {'rss' | 'files' | 'processes'} Kind */

/** @param {readonly Look[]} looks @param {Kind} kind */
function mean(looks, kind) {
  return looks.reduce((sum, look) => sum + look[kind], 0) / Math.max(1, looks.length)
}

/**
 * Of the straight line nearest to all looks, by the hour.
 *
 * @param {readonly Look[]} looks @param {Kind} kind
 */
function slope(looks, kind) {
  const middle = looks.reduce((sum, { seconds }) => sum + seconds, 0) / Math.max(1, looks.length)
  const level = mean(looks, kind)
  let up = 0
  let along = 0
  for (const look of looks) {
    up += (look.seconds - middle) * (look[kind] - level)
    along += (look.seconds - middle) ** 2
  }
  return along === 0 ? 0 : (up / along) * 3600
}

/** @param {number} value */
function signed(value) {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`
}
