/** Something about a checkpoint that a person should hear; the checkpoint is made all the same. */
export interface CheckpointNote {
  /**
   * `unreadable`: a file or directory cannot be read; it is in the checkpoint as it was in the last, if it was in that.
   * `changing`: a file was changed while it was read. `large-file`, `many-files`: what makes checkpoints slow.
   */
  readonly kind: 'unreadable' | 'changing' | 'large-file' | 'many-files'
  readonly path: string
  readonly message: string
}

export type Notes = ReturnType<typeof createNotes>

export function createNotes() {
  const kept: CheckpointNote[] = []
  let count = 0
  return {
    add(note: CheckpointNote): void {
      if (++count <= mostNotes) kept.push(note)
    },
    /** At most a hundred, then one that says how many are left out. */
    get all(): readonly CheckpointNote[] {
      const last = kept.at(-1)
      if (!last || count <= mostNotes) return kept
      return [...kept, { ...last, message: `and ${count - mostNotes} more` }]
    },
  }
}

const mostNotes = 100

export function unreadable(path: string, code: string): CheckpointNote {
  const what = path === '' ? 'the agent workspace' : path
  return { kind: 'unreadable', path, message: `${what} cannot be read (${code}): its last version is kept` }
}

export function changing(path: string, changed: 'once' | 'always'): CheckpointNote {
  const how =
    changed === 'once' ? 'and was read again' : 'again and again: the checkpoint may hold a torn version'
  return { kind: 'changing', path, message: `${path} changed while it was read, ${how}` }
}

export function largeFile(path: string, bytes: number): CheckpointNote {
  const size = `${Math.round(bytes / 1e6).toLocaleString('en')} MB`
  return { kind: 'large-file', path, message: `${path} has ${size}; ${exclusionOf(path)}` }
}

export function manyFiles(path: string, files: number): CheckpointNote {
  const where = path === '' ? 'the agent workspace' : path
  const advice = path === '' ? 'select fewer of them in checkpointedFiles' : exclusionOf(`${path}/`)
  const count = files.toLocaleString('en')
  return { kind: 'many-files', path, message: `${where} has ${count} checkpointed files; ${advice}` }
}

function exclusionOf(path: string): string {
  return `"!/${path.replace(/[\\*?[\]]|\s(?=$)/g, '\\$&')}" in checkpointedFiles leaves it out`
}

export const largeFileBytes = 100_000_000
export const manyFilesCount = 200_000
