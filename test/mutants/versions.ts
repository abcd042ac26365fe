import type { Mutant } from './mutant.ts'

const source = 'packages/runtime/src/versions'
const searching = 'packages/runtime/test/versions/bisect-search.test.ts'
const aligning = 'packages/runtime/test/versions/align.test.ts'
const forking = 'packages/runtime/test/versions/fork-random.test.ts'

/** Versions as tools: bisect, fork, compare. */
export const versions: readonly Mutant[] = [
  {
    rule: 'bisect/few-checks',
    file: `${source}/bisect-search.ts`,
    find: 'const middle = good + Math.floor((bad - good) / 2)',
    replace: 'const middle = good + 1',
    killedBy: [searching],
  },
  {
    rule: 'bisect/few-checks',
    file: `${source}/bisect-search.ts`,
    find: '  if (bad - good === 1) return',
    replace: '  if (bad - good <= 2) return',
    killedBy: [searching],
  },
  {
    rule: 'bisect/nothing-to-find',
    file: `${source}/bisect-search.ts`,
    find: "  if (verdicts[high] === 'good') return { kind: 'good-at-end', at: high }\n",
    replace: "  if (verdicts[high] === 'good') return { kind: 'bad-at-beginning', at: low }\n",
    killedBy: [searching],
  },
  {
    rule: 'bisect/skip',
    file: `${source}/bisect-search.ts`,
    find: 'for (let away = 0; away < bad - good; away++) {',
    replace: 'for (let away = 0; away < 1; away++) {',
    killedBy: [searching],
  },
  {
    rule: 'bisect/skip',
    file: `${source}/bisect-search.ts`,
    find: "  return { kind: 'range', good, bad }\n",
    replace: "  return { kind: 'found', good, bad }\n",
    killedBy: [searching],
  },
  {
    rule: 'bisect/all',
    file: `${source}/bisect-search.ts`,
    find: "const judged = verdicts.filter(verdict => verdict === 'good' || verdict === 'bad')",
    replace: 'const judged = verdicts',
    killedBy: [searching],
  },
  {
    rule: 'bisect/candidates',
    file: `${source}/thread-versions.ts`,
    find: 'before === undefined || trees.get(before.sha) !== trees.get(sha)',
    replace: 'before === undefined || before.sha !== sha',
    killedBy: [searching],
  },
  {
    rule: 'bisect/candidates',
    file: `${source}/thread-versions.ts`,
    find: "return type === 'completed' || !completedOnly",
    replace: "return type !== 'skipped' || !completedOnly",
    killedBy: [searching],
  },
  {
    rule: 'bisect/exit-codes',
    file: `${source}/bisect-verdict.ts`,
    find: "  if (stopped?.reason === 'timeout') return { verdict: 'bad', reason: 'took too long' }\n",
    replace: '',
    killedBy: [searching],
  },
  {
    rule: 'bisect/exit-codes',
    file: `${source}/bisect-verdict.ts`,
    find: 'if (code !== null && code >= 128)',
    replace: 'if (code !== null && code > 128)',
    killedBy: [searching],
  },
  {
    rule: 'compare/aligned',
    file: `${source}/align.ts`,
    find: "  if (left.join('\\n') > right.join('\\n'))\n    return inOrder(right, left).map(({ id, inLeft, inRight }) => ({ id, inLeft: inRight, inRight: inLeft }))\n",
    replace: '',
    killedBy: [aligning],
  },
  {
    rule: 'compare/aligned',
    file: `${source}/align.ts`,
    find: '(best[earlier] ?? 0) + 1 > (best[at] ?? 0)',
    replace: '(best[at] ?? 0) === 1',
    killedBy: [aligning],
  },
  {
    rule: 'fork/state',
    file: `${source}/fork-record.ts`,
    find: '    for (const transition of endingsOf(state, point.time)) recorder.record(transition)\n',
    replace: '',
    killedBy: [forking],
  },
  {
    rule: 'fork/signed-thinking',
    file: 'packages/runtime/src/harness/relocate-line.ts',
    find: '(?![\\\\w-]|\\\\.\\\\w)',
    replace: '',
    killedBy: ['packages/runtime/test/harness/relocate-line.test.ts'],
  },
  {
    rule: 'fork/screen',
    file: 'packages/tui/src/model/questions.ts',
    find: '  weave fork ',
    replace: '  weave rollback ',
    killedBy: ['packages/tui/test/model/questions.test.ts'],
  },
]
