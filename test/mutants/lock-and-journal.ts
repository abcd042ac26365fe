import type { Mutant } from './mutant.ts'

const lock = ['packages/runtime/test/workspace/lock-file.test.ts'] as const
const trouble = ['test/e2e/journal-trouble.test.ts'] as const

/** Of the lock of an execution, and of journals that are not as they were written. */
export const lockAndJournal: readonly Mutant[] = [
  {
    rule: 'attack/lost-lock-writes-nothing',
    file: 'packages/runtime/src/workspace/own-lock.ts',
    find: 'if (outcome === undefined && isInPlace()) return',
    replace: 'if (outcome === undefined) return',
    killedBy: lock,
  },
  {
    rule: 'd14/lock-lost-ends',
    file: 'packages/runtime/src/workspace/lock-file.ts',
    find: 'const survives = await endHolder(claimed.first)',
    replace: 'const survives = await endHolder({ ...claimed.first, pid: 0 })',
    killedBy: lock,
  },
  {
    rule: 'd14/lock-nobody',
    file: 'packages/runtime/src/workspace/lock-record.ts',
    find: "if (pid === 0) return Math.abs(age) > staleAfter ? 'gone' : 'live'",
    replace: "if (pid === 0) return 'live'",
    killedBy: lock,
  },
  {
    rule: 'd14/lock-nobody',
    file: 'packages/runtime/src/workspace/lock-file.ts',
    find: 'if (keptAside !== undefined) linkIfFree(lockFile, keptAside)',
    replace: '',
    killedBy: lock,
  },
  {
    rule: 'd14/lock-host',
    file: 'packages/runtime/src/workspace/lock-record.ts',
    find: 'return host === hostname() && (!theirs || !ours || theirs === ours)',
    replace: 'return !theirs || !ours || theirs === ours',
    killedBy: lock,
  },
  {
    rule: 'd14/lock-run-id',
    file: 'packages/runtime/src/runner/run-lifecycle.ts',
    find: "return firstRunId === undefined || isUsed ? createId('run') : firstRunId",
    replace: "return isUsed ? '' : createId('run')",
    killedBy: ['test/e2e/lock-names-run.test.ts'],
  },
  {
    rule: 'attack/journal-gap',
    file: 'packages/runtime/src/journal/segments.ts',
    find: 'const gap = Math.max(0, seq - next - before)',
    replace: 'const gap = Math.min(0, seq - next - before)',
    killedBy: trouble,
  },
  {
    rule: 'attack/journal-gone',
    file: 'packages/runtime/src/execution/frozen-plan.ts',
    find: 'if (lastSeq === 0 && witnesses.length === 0) return undefined',
    replace: 'if (lastSeq === 0 || witnesses.length === 0) return undefined',
    killedBy: trouble,
  },
  {
    rule: 'attack/strange-journal',
    file: 'packages/runtime/src/files/open-regular.ts',
    find: 'if ((await file.stat()).isFile()) return file',
    replace: 'if (await file.stat()) return file',
    killedBy: trouble,
  },
  {
    rule: 'attack/two-writers-repaired',
    file: 'packages/runtime/src/journal/two-writers.ts',
    find: 'chain.last > furthest.last ? chain : furthest',
    replace: 'chain.last < furthest.last ? chain : furthest',
    killedBy: trouble,
  },
  {
    rule: 'attack/store-gone',
    file: 'packages/runtime/src/execution/checkpoint-effects.ts',
    find: 'if (sha === undefined || (await store.read(sha))) continue',
    replace: 'if (sha === undefined || sha) continue',
    killedBy: trouble,
  },
]
